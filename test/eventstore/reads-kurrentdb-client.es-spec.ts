import { readSuite } from './suites/reads.js';

readSuite('kurrentdb-client');
