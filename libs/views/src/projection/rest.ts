import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Events of a batch that is part of a burst: it is worth waiting for more of them. */
export const burstBatch = 16;

/** The rest of the process may have this many times as long as a batch took, and no longer than this. Milliseconds. */
export const restFactor = 4;
export const restMsMax = 200;

/** Behind the log for longer than this, the view does not rest until it has caught up. Milliseconds. */
export const behindMsMax = 2_000;

/** How often a rest looks whether it is still worth it; milliseconds. */
const lookMs = 2;
/** Busy for a smaller share of a rest, nobody else has much to do. Those who wait for a commit are idle meanwhile. */
export const busyShare = 0.3;

/** The process as a rest sees it. */
export interface Surroundings {
  /** Milliseconds. */
  readonly now: () => number;
  /** A moment passes. */
  readonly moment: () => Promise<void>;
  /** Begins to measure; answers for what share of the time since the process was busy, from 0 to 1. */
  readonly busy: () => () => number;
}

const eventLoop: Surroundings = {
  now: () => performance.now(),
  moment: () => delay(lookMs),
  busy: () => {
    const before = performance.eventLoopUtilization();
    return () => performance.eventLoopUtilization(before).utilization;
  },
};

/**
 * In a burst others go first, while the process is busy and nobody waits for the view. It then comes later, at most by
 * {@link behindMsMax} and what it takes to catch up, in fewer and fuller batches, and does not hold up what causes the
 * burst: a cascade, or the answers to those who read meanwhile.
 */
export class Rests {
  #behindSince: number | undefined;

  constructor(
    private readonly isAwaited: () => boolean,
    private readonly surroundings: Surroundings = eventLoop,
  ) {}

  /** The view is in step with the log. */
  caughtUp(): void {
    this.#behindSince = undefined;
  }

  /** @param isFull more events stand in the log already */
  async after(batch: {
    readonly events: number;
    readonly isFull: boolean;
    readonly tookMs: number;
  }): Promise<void> {
    const { now, moment, busy } = this.surroundings;
    if (!batch.isFull) this.caughtUp();
    if (batch.events < burstBatch) return;
    this.#behindSince ??= now();
    const end = Math.min(
      now() + restFactor * batch.tookMs,
      now() + restMsMax,
      this.#behindSince + behindMsMax,
    );
    const share = busy();
    while (now() < end && !this.isAwaited()) {
      await moment();
      if (share() < busyShare) return;
    }
  }
}
