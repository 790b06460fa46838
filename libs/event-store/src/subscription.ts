import { setTimeout as delay } from 'node:timers/promises';
import { endableMessages } from './endable-messages.js';
import { StoreUnavailableError } from './errors.js';
import type { LogGrowth } from './log-growth.js';
import type { RecordedEvent, SubscribeOptions, Subscription, SubscriptionMessage } from './port.js';
import { fromPosition } from './positions.js';

export interface LogPageRequest {
  /** Position, excluded. */
  readonly after: number;
  readonly prefix: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface LogPage {
  /** May be empty when nothing in the scanned part is under the prefix. */
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been looked at; never below the request's `after`. */
  readonly scannedTo: number;
}

/** What a log of integers in one process offers to those who follow it. */
export interface FollowedLog {
  readonly growth: LogGrowth;
  page(request: LogPageRequest): Promise<LogPage>;
}

export const subscriptionBatchDefault = 500;
const retryDelayMilliseconds = 250;

/** The catch-up subscription of the port over a log in this process. `end` is where the log ends at this call. */
export const followLog = (log: FollowedLog, options: SubscribeOptions): Subscription => {
  const after = startOf(log, options.from);
  return {
    [Symbol.asyncIterator]: () =>
      endableMessages(options.signal, (signal) => follow(log, { ...options, signal }, after)),
  };
};

const startOf = (log: FollowedLog, from: SubscribeOptions['from']): number => {
  if (from === 'start') return 0;
  return from === 'end' ? log.growth.newest : fromPosition(from);
};

async function* follow(
  log: FollowedLog,
  {
    prefix,
    batchSize = subscriptionBatchDefault,
    signal,
  }: SubscribeOptions & { readonly signal: AbortSignal },
  start: number,
): AsyncGenerator<SubscriptionMessage, void, undefined> {
  let after = start;
  let live = false;
  const ended = (): boolean => signal.aborted || log.growth.closed;
  while (!ended()) {
    const page = await pageOrRetry(log, { after, prefix, limit: batchSize, signal });
    if (ended()) return;
    after = page.scannedTo;
    if (page.events.length > 0) {
      live = false;
      yield { kind: 'events', events: page.events };
    }
    if (after < log.growth.newest) continue;
    if (!live) yield { kind: 'live' };
    live = true;
    await log.growth.wait(after, signal);
  }
}

/** A log that cannot be read now is asked again: a subscription outlives the outage. */
const pageOrRetry = async (log: FollowedLog, request: LogPageRequest): Promise<LogPage> => {
  try {
    return await log.page(request);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    await delay(retryDelayMilliseconds, undefined, { ref: false, signal: request.signal }).catch(
      () => undefined,
    );
    return { events: [], scannedTo: request.after };
  }
};
