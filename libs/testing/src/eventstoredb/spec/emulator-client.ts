import { EventStoreDBClient, jsonEvent, START, streamNameFilter } from '@eventstore/db-client';

/** The client as applications use it, with what these specs ask of it. One of them a process. */
export class EmulatorClient {
  readonly #client: EventStoreDBClient;

  constructor(url: string) {
    this.#client = EventStoreDBClient.connectionString(url);
  }

  /** The revision, or how it was refused. */
  async append(stream: string, type = 'T'): Promise<string> {
    try {
      const { nextExpectedRevision } = await this.#client.appendToStream(
        stream,
        jsonEvent({ type, data: {} }),
      );
      return String(nextExpectedRevision);
    } catch (error) {
      return refused(error);
    }
  }

  /** The types of its events, or how it was refused. */
  async read(stream: string): Promise<string> {
    try {
      const types: string[] = [];
      for await (const { event } of this.#client.readStream(stream)) types.push(event?.type ?? '');
      return types.join(' ');
    } catch (error) {
      return refused(error);
    }
  }

  /** What a subscription to everything under the prefix tells, as it comes. */
  subscribe(prefix: string): SeenEvents {
    const subscription = this.#client.subscribeToAll({
      fromPosition: START,
      filter: streamNameFilter({ prefixes: [prefix] }),
    });
    const seen = new SeenEvents();
    subscription.on('data', ({ event }) => seen.add(event?.streamId ?? ''));
    subscription.on('caughtUp', () => seen.add('caught up'));
    subscription.on('error', (error) => seen.add(refused(error)));
    subscription.on('end', () => seen.add('end'));
    return seen;
  }

  async dispose(): Promise<void> {
    await this.#client.dispose();
  }
}

const refused = (error: unknown): string => {
  const { type, code, message } = error as { type?: string; code?: number; message: string };
  return `refused: ${type ?? `code ${String(code)}`}${message === '' ? '' : `: ${message}`}`;
};

/** Waits for what will be told. */
export class SeenEvents {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();

  add(what: string): void {
    this.all.push(what);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves when it was told. */
  until(what: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.all.some((told) => told.startsWith(what))) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}
