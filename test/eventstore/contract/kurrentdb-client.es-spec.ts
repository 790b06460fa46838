import { contractRun } from '../support/contract-runs.js';

contractRun('kurrentdb-client, 24.2.0', 'kurrentdb-client');
