import { lostAnswerSuite } from './suites/lost-answers.js';

lostAnswerSuite('db-client', { batchAppend: false });
