import { factsSuite } from './facts-suite.js';

factsSuite([{ name: 'kurrentdb-client', clientPackage: '@kurrent/kurrentdb-client', path: 'batch' }]);
