import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  OutcomeUnknownError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
} from '#event-store';

/** What a writer was told: this id stands at this revision of this stream, at this position. */
export interface Acknowledgement {
  readonly stream: string;
  readonly id: string;
  readonly revision: number;
  readonly position: string;
}

export interface WriterParts {
  readonly store: EventStore;
  readonly stream: string;
  readonly acknowledged: (acknowledgement: Acknowledgement) => void;
  /** An attempt without an answer, by the code of what was thrown. */
  readonly failed: (code: string) => void;
  readonly goesOn: () => boolean;
}

/** Between two attempts, so that a store that refuses at once is not asked in a busy loop. */
const pauseMs = 50;

/** Writes event after event to a stream of its own; each under one id and expected revision until it is taken. */
export class Writer {
  #expected: ExpectedRevision = 'none';

  constructor(private readonly parts: WriterParts) {}

  /** Ends when it should not go on and its last event is taken. */
  async run(): Promise<void> {
    for (let number = 0; this.parts.goesOn(); number++) await this.#write(number);
  }

  async #write(number: number): Promise<void> {
    const data = JSON.stringify({ number });
    const event = { id: randomUUID(), type: 'Written', data, metadata: '{}' };
    for (;;) {
      const taken = await this.#attempt(event);
      if (taken === undefined) {
        await delay(pauseMs);
        continue;
      }
      this.#expected = taken.revision;
      this.parts.acknowledged(taken);
      return;
    }
  }

  async #attempt(event: NewEvent): Promise<Acknowledgement | undefined> {
    const { store, stream } = this.parts;
    try {
      const { revision, position } = await store.append(stream, [event], this.#expected);
      return { stream, id: event.id, revision, position };
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return this.#found(event);
      if (!(error instanceof OutcomeUnknownError) && !(error instanceof StoreUnavailableError)) throw error;
      this.parts.failed(error.code);
      return undefined;
    }
  }

  /** The stream moved: by this very event, or something is wrong. */
  async #found(event: NewEvent): Promise<Acknowledgement | undefined> {
    const { store, stream } = this.parts;
    const from = typeof this.#expected === 'number' ? this.#expected + 1 : 0;
    try {
      const [found] = await store.readStream(stream, { from, limit: 1 });
      if (found?.id === event.id)
        return { stream, id: found.id, revision: found.revision, position: found.position };
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined;
      throw error;
    }
    throw new Error(`${stream} moved beyond ${String(this.#expected)}, and nobody else writes to it`);
  }
}
