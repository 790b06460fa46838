import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Events of a batch that is worth a rest. */
export const longBatch = 128;

/** The rest of the process may have this many times as long as a batch took, and no longer than this. Milliseconds. */
export const restFactor = 4;
export const restMsMax = 200;

/** How often a rest looks whether it is still worth it; milliseconds. */
const lookMs = 2;
/** Busy for a smaller share of the time, nobody else has much to do. */
export const busyShare = 0.5;

/** The process as a rest sees it. */
export interface Surroundings {
  /** Milliseconds. */
  readonly now: () => number;
  /** A moment later: for what share of it the process was busy, from 0 to 1. */
  readonly moment: () => Promise<number>;
}

const eventLoop: Surroundings = {
  now: () => performance.now(),
  moment: async () => {
    const before = performance.eventLoopUtilization();
    await delay(lookMs);
    return performance.eventLoopUtilization(before).utilization;
  },
};

/** After a short batch there is nothing to make up for; after a full one the view is behind, and goes on at once. */
export const restIsDue = (events: number, batchSize: number): boolean =>
  events >= longBatch && events < batchSize;

/**
 * After a long batch others go first: while the process is busy, and nobody waits for the view. In a burst the view
 * then comes in fewer and fuller batches, and holds up less what causes the burst.
 */
export const restAfter = async (
  tookMs: number,
  isAwaited: () => boolean,
  { now, moment }: Surroundings = eventLoop,
): Promise<void> => {
  const end = now() + Math.min(restFactor * tookMs, restMsMax);
  while (now() < end && !isAwaited()) if ((await moment()) < busyShare) return;
};
