const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': '@swc/jest' },
  extensionsToTreatAsEsm: ['.ts'],
  // A lib is entered by its '#name'; '.js' in a relative import is the '.ts' beside it.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

/**
 * Specs by what they cost: `.spec` no I/O, `.int.spec` disk and ports, `.e2e-spec` the running service, `.es-spec` an
 * EventStoreDB: the contract and acceptance (`npm run test:eventstore`), the service on it, several instances and the
 * emulator itself (`npm run test:eventstore:service`), the long outages (`npm run test:eventstore:faults`).
 */
export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.int\\.spec\\.ts$'],
    },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/{apps,libs,test}/**/*.int.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] },
    {
      ...shared,
      displayName: 'eventstore',
      testMatch: [
        '<rootDir>/test/eventstore/*.es-spec.ts',
        '<rootDir>/test/eventstore/contract/*.es-spec.ts',
        '<rootDir>/test/eventstore/service/acceptance-*.es-spec.ts',
      ],
    },
    {
      ...shared,
      displayName: 'eventstore-service',
      testMatch: [
        '<rootDir>/test/eventstore/{facts,history}/*.es-spec.ts',
        '<rootDir>/test/eventstore/service/*.es-spec.ts',
      ],
      testPathIgnorePatterns: ['/node_modules/', '/service/acceptance-'],
    },
    {
      ...shared,
      displayName: 'eventstore-faults',
      testMatch: ['<rootDir>/test/eventstore/faults/**/*.es-spec.ts'],
    },
  ],
  // The service under test shares the machine: a test that waits for it is given time.
  testTimeout: 60_000,
  maxWorkers: 2,
};
