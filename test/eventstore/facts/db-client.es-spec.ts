import { factsSuite } from './facts-suite.js';

factsSuite([
  { name: 'db-client-batch', clientPackage: '@eventstore/db-client', path: 'batch' },
  { name: 'db-client-classic', clientPackage: '@eventstore/db-client', path: 'classic' },
]);
