import { randomBytes } from 'node:crypto';
import { openEventStoreDb, type EventStore, type EventStoreDbOptions } from '#event-store';
import { startEventStoreDbEmulator, type EmulatorOptions, type EventStoreDbEmulator } from '#testing';

/** A server to run the suites against instead of the emulator: `esdb://…` or `kurrentdb://…`. */
export const realServer = process.env.LEDGER_TEST_EVENTSTORE;

export type Client = 'db-client' | 'kurrentdb-client';

const schemes: Readonly<Record<Client, string>> = { 'db-client': 'esdb', 'kurrentdb-client': 'kurrentdb' };

/** Fresh for each file of each run: a real server keeps what earlier runs wrote. */
const namespace = `test${randomBytes(6).toString('hex')}`;
let roots = 0;

/** One server for the tests of a file, talked to by one client. */
export class ServerUnderTest {
  #emulator: EventStoreDbEmulator | undefined;

  private constructor(
    readonly client: Client,
    emulator: EventStoreDbEmulator | undefined,
  ) {
    this.#emulator = emulator;
  }

  /** The emulator, or the real server where one is named. To be used in `beforeAll`. */
  static async start(client: Client, options: EmulatorOptions = {}): Promise<ServerUnderTest> {
    const emulator = realServer === undefined ? await startEmulator(client, options) : undefined;
    return new ServerUnderTest(client, emulator);
  }

  /** The emulator, whatever else is named: for what only it can be made to do. */
  static async startEmulator(client: Client, options: EmulatorOptions = {}): Promise<ServerUnderTest> {
    return new ServerUnderTest(client, await startEmulator(client, options));
  }

  get emulator(): EventStoreDbEmulator {
    if (this.#emulator === undefined) throw new Error('only the emulator can be made to do this');
    return this.#emulator;
  }

  get url(): string {
    const url = this.#emulator?.url ?? realServer!;
    return url.replace(/^(esdb|kurrentdb)(?=[:+])/, schemes[this.client]);
  }

  open(options: Partial<EventStoreDbOptions> = {}): Promise<EventStore> {
    return openEventStoreDb({ url: this.url, namespace, ...options });
  }

  /** A prefix under which nothing is yet. */
  freshRoot(): string {
    return `${namespace}.${String(++roots)}.`;
  }

  async stop(): Promise<void> {
    await this.#emulator?.stop();
    this.#emulator = undefined;
  }
}

const startEmulator = (client: Client, options: EmulatorOptions): Promise<EventStoreDbEmulator> =>
  startEventStoreDbEmulator({
    clientPackage: client === 'db-client' ? '@eventstore/db-client' : '@kurrent/kurrentdb-client',
    ...options,
  });
