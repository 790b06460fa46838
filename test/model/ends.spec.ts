import { endConfigurations } from './configurations.js';
import { keepPromises } from './promises.js';

describe('in every interleaving the promises hold', () => {
  keepPromises(endConfigurations);
});
