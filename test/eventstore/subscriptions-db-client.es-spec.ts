import { lostSubscriptionSuite } from './suites/lost-subscriptions.js';

lostSubscriptionSuite('db-client');
