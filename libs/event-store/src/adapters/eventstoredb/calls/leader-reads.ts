import { InvalidStoreCallError, StoreUnavailableError, StreamDeletedError } from '../../../errors.js';
import type { CallingClient } from '../client/clients.js';
import type { Driver, DriverCall, DriverEvent } from '../driver/driver.js';
import { readsOnWireMax, readsTakenMax } from '../limits.js';
import type { CallDesk, Try } from './call-desk.js';
import type { Verdict } from './classify.js';
import { PlacesOnWire } from './places-on-wire.js';

export type Events = readonly DriverEvent[];
export type Ask = (driver: Driver) => DriverCall<Events>;

export interface Answered {
  readonly events: Events;
  readonly client: CallingClient;
}

export interface AskOptions {
  /** Of whom an error is to speak. */
  readonly stream?: string;
  /** When it is given up, by the desk's clock. */
  readonly end?: number | undefined;
}

/** A read that the server failed to answer, time and again. */
export class ReadFailedError extends StoreUnavailableError {}

/** Reads from a leader: bounded in number and time, cancelled when they are given up, asked again when that may help. */
export class LeaderReads {
  readonly #places = new PlacesOnWire(readsOnWireMax);
  #taken = 0;

  constructor(private readonly desk: CallDesk) {}

  async ask(ask: Ask, { stream = '', end }: AskOptions = {}): Promise<Answered> {
    if (this.#taken >= readsTakenMax)
      throw new StoreUnavailableError(`${String(this.#taken)} reads are waiting already`);
    this.#taken += 1;
    try {
      return await this.desk.run(
        {
          kind: 'read',
          attempt: (now) => this.#attempt(ask, now),
          judge: (verdict, now) => judge(verdict, now, stream),
        },
        end,
      );
    } finally {
      this.#taken -= 1;
    }
  }

  /** Asks whether the server answers. Which answer it is does not matter: the desk heeds it. */
  async probe(client: CallingClient): Promise<void> {
    const began = this.desk.now();
    const call = client.driver.readAll({ direction: 'backwards', from: 'end', limit: 1 });
    try {
      await client.calls.wait('read', call.answer, this.desk.timings.probeCall);
    } catch (error) {
      this.desk.heed(error, client, { kind: 'read', elapsed: this.desk.now() - began });
    } finally {
      call.cancel();
    }
  }

  async #attempt(ask: Ask, now: Try): Promise<Answered> {
    const place = this.#places.take(now.left);
    if (place !== true && !(await place))
      throw new StoreUnavailableError(`${String(readsOnWireMax)} reads were under way`);
    try {
      return await this.#read(ask, now);
    } finally {
      this.#places.release();
    }
  }

  async #read(ask: Ask, { client, left }: Try): Promise<Answered> {
    const call = ask(client.driver);
    try {
      const limit = Math.min(left, this.desk.timings.readAttempt);
      return { events: await client.calls.wait('read', call.answer, limit), client };
    } finally {
      call.cancel();
    }
  }
}

/** Tries of a read that the server fails to answer. */
const failedTriesMax = 3;

const judge = (verdict: Verdict, { client, tried }: Try, stream: string): Promise<Answered> | undefined => {
  switch (verdict.kind) {
    case 'stream-deleted':
      throw new StreamDeletedError(stream);
    case 'access-denied':
      throw new StoreUnavailableError(`the database denies access: ${verdict.reason}`);
    case 'no-such-position':
      return Promise.resolve({ events: [], client });
    case 'refused':
      throw new InvalidStoreCallError(`the database refuses this read: ${verdict.reason}`);
    case 'read-failed':
      if (tried + 1 < failedTriesMax) return undefined;
      throw new ReadFailedError(`the database cannot answer this read: ${verdict.reason}`);
    default:
      return undefined;
  }
};
