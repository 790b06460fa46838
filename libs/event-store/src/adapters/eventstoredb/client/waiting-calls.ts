import type { CallKind } from '../driver/client-listener.js';
import type { StoreTimings } from '../limits.js';
import type { Clock } from './clock.js';

/** Our own timer: no answer came in time. It may still come. */
export class CallExpiredError extends Error {
  override readonly name = 'CallExpiredError';
}

interface WaitingCall {
  readonly kind: CallKind;
  readonly since: number;
  readonly until: number;
  readonly fail: (error: Error) => void;
}

type Timings = Pick<StoreTimings, 'silence' | 'silenceOfOneKind' | 'look'>;

/**
 * The calls that wait for an answer of one client, each with its own limit, and the watchdog over all of them: a server
 * that hangs says nothing at all, and its client waits for ever. One timer looks after all calls, and only while there
 * are any.
 */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();
  readonly #lastReply: Record<CallKind, number> = { append: -Infinity, read: -Infinity };
  /** Time in which this process itself was held up: what came meanwhile had not been read yet. */
  #heldUp = 0;
  #lastLook = 0;
  #stopLooking: (() => void) | undefined;

  /** `silent` is told once that the client should be left, and why. */
  constructor(
    private readonly timings: Timings,
    private readonly clock: Clock,
    private readonly silent: (reason: string) => void,
  ) {}

  get size(): number {
    return this.#calls.size;
  }

  /** Something came from the server. */
  reply(kind: CallKind): void {
    this.#lastReply[kind] = this.#now();
  }

  /** The answer; or {@link CallExpiredError} after `limit` milliseconds, or the error of {@link failAll}. */
  wait<Answer>(kind: CallKind, answer: Promise<Answer>, limit: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const since = this.#now();
      const call: WaitingCall = { kind, since, until: since + limit, fail: reject };
      this.#calls.add(call);
      this.#startLooking();
      answer.then(
        (value) => {
          this.#calls.delete(call);
          this.reply(kind);
          resolve(value);
        },
        (error: unknown) => {
          this.#calls.delete(call);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  failAll(error: Error): void {
    for (const call of this.#calls) call.fail(error);
    this.#calls.clear();
    this.#stop();
  }

  #now(): number {
    return this.clock.now() - this.#heldUp;
  }

  #startLooking(): void {
    if (this.#stopLooking !== undefined) return;
    this.#lastLook = this.#now();
    this.#stopLooking = this.clock.every(this.timings.look, () => this.#look());
  }

  #stop(): void {
    this.#stopLooking?.();
    this.#stopLooking = undefined;
  }

  #look(): void {
    const late = this.#now() - this.#lastLook - this.timings.look;
    if (late > this.timings.look) this.#heldUp += late;
    const now = this.#now();
    this.#lastLook = now;
    if (this.#calls.size === 0) return this.#stop();
    const silence = this.#silence(now);
    if (silence !== undefined) return this.silent(silence);
    this.#expire(now);
  }

  #expire(now: number): void {
    for (const call of this.#calls) {
      if (now < call.until) continue;
      this.#calls.delete(call);
      call.fail(new CallExpiredError(`no answer to this ${call.kind} in time`));
    }
  }

  #silence(now: number): string | undefined {
    const oldest: Partial<Record<CallKind, number>> = {};
    for (const { kind, since } of this.#calls) oldest[kind] ??= since;
    const quietFor = (since: number, reply: number): number => now - Math.max(since, reply);
    const { append, read } = this.#lastReply;
    const oldestOfAll = Math.min(oldest.append ?? Infinity, oldest.read ?? Infinity);
    if (quietFor(oldestOfAll, Math.max(append, read)) >= this.timings.silence)
      return `no reply of any kind while ${String(this.#calls.size)} calls waited`;
    for (const kind of ['append', 'read'] as const) {
      const since = oldest[kind];
      if (since !== undefined && quietFor(since, this.#lastReply[kind]) >= this.timings.silenceOfOneKind)
        return `no reply to any ${kind}, though there were other replies`;
    }
    return undefined;
  }
}
