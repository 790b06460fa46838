import { describe } from '@jest/globals';
import { acceptanceOn } from './suites/acceptance.js';

describe('the service on an EventStoreDB, through the client of esdb://', () => {
  acceptanceOn('esdb');
});
