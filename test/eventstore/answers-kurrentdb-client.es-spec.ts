import { lostAnswerSuite } from './suites/lost-answers.js';

lostAnswerSuite('kurrentdb-client');
