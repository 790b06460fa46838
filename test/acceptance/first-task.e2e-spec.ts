import { describe } from '@jest/globals';
import { useService } from '../support/index.js';
import { firstTask } from './suites/first-task.js';

describe('a first task, with the official client on one side and an agent on the other', () => {
  firstTask(useService());
});
