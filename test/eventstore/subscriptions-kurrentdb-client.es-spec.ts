import { lostSubscriptionSuite } from './suites/lost-subscriptions.js';

lostSubscriptionSuite('kurrentdb-client');
