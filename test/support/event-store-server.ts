import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type EmulatorOptions, type EventStoreDbEmulator, startEventStoreDbEmulator } from '#testing';
import type { Environment } from './service.js';

/** Which of the two client packages the service takes. */
export type Scheme = 'esdb' | 'kurrentdb';

const realServer = process.env.LEDGER_TEST_EVENTSTORE;

/** For what only an emulator can do on command; with a real server (`LEDGER_TEST_EVENTSTORE`) it is left out. */
export const describeWithFaults = realServer === undefined ? describe : describe.skip;

/** Letters and digits; on a server that is kept nobody else has it. */
export const freshNamespace = (): string => `t${randomUUID().replaceAll('-', '').slice(0, 16)}`;

/** An EventStoreDB for the services of one spec file: a real one, or an emulator of its own. */
export class EventStoreServer {
  #emulator: EventStoreDbEmulator | undefined;

  constructor(private readonly options: EmulatorOptions = {}) {}

  async start(): Promise<void> {
    if (realServer === undefined) this.#emulator = await startEventStoreDbEmulator(this.options);
  }

  async stop(): Promise<void> {
    await this.#emulator?.stop();
  }

  /** @throws Error with a real server */
  get emulator(): EventStoreDbEmulator {
    if (this.#emulator === undefined) throw new Error('there is no emulator');
    return this.#emulator;
  }

  url(scheme: Scheme = 'esdb'): string {
    const url = realServer ?? this.emulator.url;
    return url.replace(/^[a-z]+/, scheme);
  }

  environment(namespace: string, scheme?: Scheme): Environment {
    return { LEDGER_EVENT_STORE: this.url(scheme), LEDGER_NAMESPACE: namespace };
  }
}

export const useEventStoreServer = (options?: EmulatorOptions): EventStoreServer => {
  const server = new EventStoreServer(options);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};
