import { contractRun } from '../support/contract-runs.js';

contractRun('db-client, 24.2.0', 'db-client');
