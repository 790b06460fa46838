import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '../../../port.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { beforeAll, driverPositionOf, later } from './places.js';

/**
 * The newest event of the whole log, whoever wrote it; nothing when the log is empty.
 * @throws StoreUnavailableError
 */
export const newestOfLog = async ({ connection }: SubscriptionParts): Promise<Anchor | undefined> => {
  const [newest] = await connection.readAllRaw({ from: 'end', direction: 'backwards', limit: 1 });
  return newest;
};

/**
 * Where subscriptions from the end begin. The log is asked, and what this process appends meanwhile waits for the
 * answer: it was appended after the call, so it must not stand before the end that is found.
 */
export class EndOfLog {
  readonly #asked = new Set<Promise<unknown>>();
  #known: Position = beforeAll;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly signal: AbortSignal,
  ) {}

  /** An append of this process was acknowledged, or an event was seen. */
  know(position: Position): void {
    this.#known = later(this.#known, position);
  }

  /** What appends wait for, a moment at most; nothing as a rule. */
  get held(): Promise<unknown> | undefined {
    return this.#asked.size === 0 ? undefined : Promise.all(this.#asked);
  }

  /** Nothing for an empty log, and when the store is closed before it is known. */
  find(): Promise<Anchor | undefined> {
    const found = this.#find(this.#known);
    const held = Promise.race([found, delay(this.parts.timings.endHeld, undefined, { ref: false })]);
    this.#asked.add(held);
    void held.finally(() => this.#asked.delete(held));
    return found;
  }

  /** Where nobody answers, the newest position that was known at the call will do: it brings more, never less. */
  async #find(known: Position): Promise<Anchor | undefined> {
    const { timings } = this.parts;
    const { signal } = this;
    const began = performance.now();
    const atCall = known === beforeAll ? undefined : { position: driverPositionOf(known), id: undefined };
    while (!signal.aborted) {
      try {
        const newest = await newestOfLog(this.parts);
        // What was appended after the call and could not be held any longer must not be left out.
        const isLate = performance.now() - began >= timings.endHeld && this.#known > known;
        return isLate ? (atCall ?? newest) : newest;
      } catch {
        if (atCall !== undefined) return atCall;
        await delay(timings.retryMax, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return undefined;
  }
}
