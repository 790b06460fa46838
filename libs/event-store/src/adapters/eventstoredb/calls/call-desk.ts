import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreError, StoreUnavailableError } from '../../../errors.js';
import type { Availability } from '../client/availability.js';
import type { CallingClient, Clients } from '../client/clients.js';
import type { Clock } from '../client/clock.js';
import type { StoreTimings } from '../limits.js';
import { backoff } from './backoff.js';
import type { CallKind } from '../driver/client-listener.js';
import { classify, type CallFacts, type Verdict } from './classify.js';

/** One try of a call. */
export interface Try {
  readonly client: CallingClient;
  /** Tries before this one. */
  readonly tried: number;
  /** Milliseconds until the whole call is given up. */
  readonly left: number;
}

/** A call that is tried until it is over. */
export interface TriedCall<Answer> {
  readonly kind: CallKind;
  attempt(now: Try): Promise<Answer>;
  /** What a failed try means: an answer all the same, an error (thrown) that ends the call, or nothing: once more. */
  judge(verdict: Verdict, now: Try): Promise<Answer | undefined> | undefined;
}

export interface CallDeskParts {
  readonly clients: Clients;
  readonly availability: Availability;
  readonly timings: StoreTimings;
  readonly clock: Clock;
  readonly wireDeadline: number;
  readonly onRetry: () => void;
}

/**
 * Where all calls go through: each is tried again, with pauses that grow by chance, until its time is over; while the
 * server is away only the one that was under way before waits for its return. Errors of the port end a call, all others
 * are judged by what they mean.
 */
export class CallDesk {
  #closing = false;

  constructor(readonly parts: CallDeskParts) {}

  get timings(): StoreTimings {
    return this.parts.timings;
  }

  now(): number {
    return this.parts.clock.now();
  }

  /** When a call that begins now is given up. */
  endOfCall(): number {
    return this.now() + this.timings.call;
  }

  /** No call is tried again from here on, or waits for the server's return. */
  close(): void {
    this.#closing = true;
    this.parts.availability.close();
  }

  /** @throws StoreUnavailableError when the time is over */
  async run<Answer>(call: TriedCall<Answer>, end = this.endOfCall()): Promise<Answer> {
    let reason = 'no answer in time';
    for (let tried = 0; ; tried++) {
      const client = await this.#client(tried, end, reason);
      const now: Try = { client, tried, left: end - this.now() };
      if (tried > 0) this.parts.onRetry();
      const began = this.now();
      try {
        const answer = await call.attempt(now);
        this.parts.availability.replied();
        return answer;
      } catch (error) {
        if (error instanceof EventStoreError) throw error;
        const verdict = this.heed(error, client, { kind: call.kind, elapsed: this.now() - began });
        const answer = await call.judge(verdict, now);
        if (answer !== undefined) return answer;
        reason = verdict.reason;
      }
      await this.#pause(tried, end);
    }
  }

  async #client(tried: number, end: number, reason: string): Promise<CallingClient> {
    const { availability, clients } = this.parts;
    const left = end - this.now();
    if (left <= 0 || (this.#closing && tried > 0)) throw new StoreUnavailableError(`the database: ${reason}`);
    if (availability.awayReason !== undefined) {
      const isBack = await availability.whenBack(tried === 0 ? Math.min(this.timings.away, left) : left);
      if (!isBack)
        throw new StoreUnavailableError(`the database is away: ${availability.awayReason ?? reason}`);
    }
    return clients.current ?? (await this.#nextClient(end - this.now()));
  }

  /** One that cannot be made (a file is missing for the moment) is not waited for beyond the time of the call. */
  async #nextClient(milliseconds: number): Promise<CallingClient> {
    const noLonger = new AbortController();
    const over = delay(milliseconds, undefined, { signal: noLonger.signal }).catch(() => undefined);
    const client = await Promise.race([this.parts.clients.client(), over]);
    noLonger.abort();
    if (client === undefined) throw new StoreUnavailableError('the database: no client for it can be made');
    return client;
  }

  /** What an error means, and what follows from it for the client and for whether the server is there. */
  heed(error: unknown, client: CallingClient, facts: Omit<CallFacts, 'wireDeadline'>): Verdict {
    const { wireDeadline, clients, availability } = this.parts;
    const verdict = classify(error, { ...facts, wireDeadline });
    if (verdict.contact === true) {
      client.calls.reply(facts.kind);
      availability.replied();
    }
    if (verdict.contact === false) availability.failed(verdict.reason);
    if (verdict.poisoned) clients.leave(client, verdict.reason);
    return verdict;
  }

  async #pause(tried: number, end: number): Promise<void> {
    const pause = Math.min(backoff(this.timings, tried), end - this.now());
    if (pause > 0 && !this.#closing) await delay(pause);
  }
}
