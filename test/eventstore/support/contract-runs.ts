import type { EmulatorOptions } from '#testing';
import type { OpenDurableStore } from '../../../libs/event-store/src/event-store.contract.js';
import {
  durableEventStoreContract,
  smallVolume,
} from '../../../libs/event-store/src/event-store.contract.js';
import { realServer, ServerUnderTest, type Client } from './server-under-test.js';

/** The whole contract through one client, against the emulator or, where one is named, the real server. */
export const contractRun = (name: string, client: Client, options: EmulatorOptions = {}): void => {
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await ServerUnderTest.start(client, options);
  });
  afterAll(() => server.stop());
  const open = openStore(() => server);
  if (realServer === undefined) durableEventStoreContract(name, open, smallVolume);
  else durableEventStoreContract(`${client}, a real server`, open);
};

/** The same where only the emulator is such a server; nothing against a real one. */
export const emulatedContractRun = (name: string, client: Client, options: EmulatorOptions): void => {
  if (realServer === undefined) return contractRun(name, client, options);
  // A file without a test is a failure.
  it.skip(`${name}: a real server is what it is`, () => undefined);
};

/** The contract is about what is true, not about how soon: a busy machine has time. Milliseconds. */
const patient = {
  call: 40_000,
  appendAttempt: 15_000,
  readAttempt: 20_000,
  silence: 15_000,
  silenceOfOneKind: 25_000,
  close: 60_000,
};

const openStore =
  (server: () => ServerUnderTest): OpenDurableStore =>
  async () => {
    let store = await server().open({ timings: patient });
    return {
      store,
      root: server().freshRoot(),
      reopen: async () => {
        await store.close();
        store = await server().open({ timings: patient });
        return store;
      },
      dispose: () => store.close(),
    };
  };
