import { emulatedContractRun } from '../support/contract-runs.js';

emulatedContractRun('db-client, 24.2.0 without batch append', 'db-client', { batchAppend: false });
