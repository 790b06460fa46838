import { readSuite } from './suites/reads.js';

readSuite('db-client');
