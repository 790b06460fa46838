import { outageSuite } from '../suites/outages.js';

outageSuite('kurrentdb-client');
