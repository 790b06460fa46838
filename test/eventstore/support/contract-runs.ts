import type { EventStore } from '#event-store';
import type { EmulatorOptions } from '#testing';
import type { OpenDurableStore } from '../../../libs/event-store/src/event-store.contract.js';
import {
  durableEventStoreContract,
  leastVolume,
  smallVolume,
} from '../../../libs/event-store/src/event-store.contract.js';
import { realServer, ServerUnderTest, type Client } from './server-under-test.js';

/** The whole contract through one client, against the emulator or, where one is named, the real server. */
export const contractRun = (
  name: string,
  client: Client,
  options: EmulatorOptions = {},
  volume = smallVolume,
): void => {
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await ServerUnderTest.start(client, options);
  });
  const stores = new SharedStore(() => server);
  afterAll(async () => {
    await stores.close();
    await server.stop();
  });
  if (realServer === undefined) durableEventStoreContract(name, stores.open, volume);
  else durableEventStoreContract(`${client}, a real server`, stores.open);
};

/** The same where only the emulator is such a server; nothing against a real one. */
export const emulatedContractRun = (name: string, client: Client, options: EmulatorOptions): void => {
  if (realServer === undefined) return contractRun(name, client, options, leastVolume);
  // A file without a test is a failure.
  it.skip(`${name}: skipped, only the emulator can be told its version and append path`, () => undefined);
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

/** One store for all tests of a file, each under a root of its own; a fresh one behind a test that closes it. */
class SharedStore {
  #store: EventStore | undefined;

  constructor(private readonly server: () => ServerUnderTest) {}

  readonly open: OpenDurableStore = async () => {
    let store = await this.#shared();
    return {
      store,
      root: this.server().freshRoot(),
      reopen: async () => {
        await store.close();
        store = await this.#shared();
        return store;
      },
      dispose: () => Promise.resolve(),
    };
  };

  async close(): Promise<void> {
    await this.#store?.close();
  }

  async #shared(): Promise<EventStore> {
    if (this.#store !== undefined) return this.#store;
    const store = await this.server().open({ timings: patient });
    const close = (): Promise<void> => {
      this.#store = undefined;
      return store.close();
    };
    this.#store = { ...store, close };
    return this.#store;
  }
}
