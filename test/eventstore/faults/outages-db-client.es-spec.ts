import { outageSuite } from '../suites/outages.js';

outageSuite('db-client');
