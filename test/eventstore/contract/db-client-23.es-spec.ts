import { emulatedContractRun } from '../support/contract-runs.js';

emulatedContractRun('db-client, 23.10.8', 'db-client', { version: '23.10.8' });
