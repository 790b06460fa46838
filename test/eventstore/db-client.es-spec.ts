import { lostAnswerSuite } from './suites/lost-answers.js';
import { lostSubscriptionSuite } from './suites/lost-subscriptions.js';
import { readSuite } from './suites/reads.js';

lostAnswerSuite('db-client');
lostSubscriptionSuite('db-client');
readSuite('db-client');
