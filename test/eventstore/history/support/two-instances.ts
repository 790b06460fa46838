import { openEventStoreDb } from '#event-store';
import {
  type EmulatorProcess,
  startEmulatorProcess,
  type TestDatabase,
  type TestPostgres,
  usePostgres,
} from '#testing';
import { freshNamespace } from '../../../support/event-store-server.js';
import { LedgerService } from '../../../support/index.js';
import type { LoggedEvent } from '../checker/operations.js';
import { loggedEvents, readWhole } from '../clients/log-reading.js';
import type { Instance } from '../clients/recorder.js';

const realServer = process.env.LEDGER_TEST_EVENTSTORE;

class Member {
  readonly service: LedgerService;
  #starts = 1;
  #isDown = true;

  constructor(
    private readonly letter: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.service = new LedgerService({ environment });
  }

  /** As clients find it now. */
  get instance(): Instance {
    return {
      name: `${this.letter}${String(this.#starts)}`,
      url: this.#isDown ? undefined : this.service.url,
    };
  }

  async start(): Promise<void> {
    await this.service.start();
    this.#isDown = false;
  }

  /** kill -9, and a new start. */
  async restart(): Promise<void> {
    this.#isDown = true;
    this.#starts += 1;
    await this.service.kill();
    await this.start();
  }
}

/** Two processes of the ledger on one EventStoreDB and one PostgreSQL. */
export class TwoInstances {
  private constructor(
    private readonly namespace: string,
    private readonly url: string,
    private readonly members: readonly [Member, Member],
    private readonly postgres: TestPostgres,
    private readonly database: TestDatabase,
    private readonly emulatorProcess: EmulatorProcess | undefined,
  ) {}

  /** On an emulator of its own, in a process of its own, or on the server that `LEDGER_TEST_EVENTSTORE` names. */
  static async start(): Promise<TwoInstances> {
    const emulator = realServer === undefined ? await startEmulatorProcess() : undefined;
    const url = realServer ?? emulator?.url ?? '';
    const postgres = await usePostgres();
    const database = await postgres.database();
    const namespace = freshNamespace();
    const environment = {
      LEDGER_EVENT_STORE: url,
      LEDGER_NAMESPACE: namespace,
      LEDGER_VIEWS: database.url,
    };
    const members = [new Member('a', environment), new Member('b', environment)] as const;
    const instances = new TwoInstances(namespace, url, members, postgres, database, emulator);
    try {
      await Promise.all(members.map((member) => member.start()));
    } catch (error) {
      await instances.stop();
      throw error;
    }
    return instances;
  }

  /** @throws Error with a real server */
  get emulator(): EmulatorProcess {
    if (this.emulatorProcess === undefined) throw new Error('there is no emulator');
    return this.emulatorProcess;
  }

  get services(): readonly [LedgerService, LedgerService] {
    return [this.members[0].service, this.members[1].service];
  }

  /** The two as clients find them now. */
  readonly all = (): readonly Instance[] => this.members.map(({ instance }) => instance);

  /** kill -9 of one of the two, and a new start. */
  restart(index: 0 | 1): Promise<void> {
    return this.members[index].restart();
  }

  /** What the tasks' streams hold, read past the ledger. */
  async log(): Promise<readonly LoggedEvent[]> {
    const { namespace, url } = this;
    const prefix = `${namespace}.`;
    const store = await openEventStoreDb({ url, namespace });
    try {
      return loggedEvents(await readWhole(store, prefix), prefix);
    } finally {
      await store.close();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ service }) => service.dispose()));
    await this.database.drop();
    await this.postgres.stop();
    await this.emulatorProcess?.stop();
  }
}
