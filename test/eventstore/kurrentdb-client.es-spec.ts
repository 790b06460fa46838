import { lostAnswerSuite } from './suites/lost-answers.js';
import { lostSubscriptionSuite } from './suites/lost-subscriptions.js';
import { readSuite } from './suites/reads.js';

lostAnswerSuite('kurrentdb-client');
lostSubscriptionSuite('kurrentdb-client');
readSuite('kurrentdb-client');
