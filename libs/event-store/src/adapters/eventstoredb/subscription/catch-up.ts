import type { RecordedEvent } from '../../../port.js';
import { Inbox } from './inbox.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { SupervisedSubscription } from './supervised-subscription.js';

export interface CatchUpOptions {
  readonly prefix: string;
  readonly from: Anchor | undefined;
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Where the subscription stands while it lasts, for whoever asks after its health. */
  readonly catchingUp: Set<SupervisedSubscription>;
}

/**
 * What stands in the log after a place, at the pace of whoever takes it: batches, and `live` when everything that was
 * there has been taken. Leaving it ends it.
 */
export async function* catchUp(
  parts: SubscriptionParts,
  { prefix, from, batchSize, signal, catchingUp }: CatchUpOptions,
): AsyncGenerator<readonly RecordedEvent[] | 'live', void, undefined> {
  let failure: Error | undefined;
  const inbox = new Inbox(() => subscription);
  const subscription: SupervisedSubscription = new SupervisedSubscription(parts, prefix, from, {
    event: (event) => inbox.push(event),
    live: () => inbox.becomeLive(),
    failed: (error) => {
      failure = error;
      inbox.bell.ring();
    },
  });
  catchingUp.add(subscription);
  try {
    while (!signal.aborted) {
      await inbox.gathered(batchSize, parts.timings.gather, signal);
      const events = inbox.take(batchSize);
      if (events.length > 0) yield events;
      else if (failure !== undefined) throw failure;
      else if (inbox.takeLive()) yield 'live';
      else await inbox.bell.wait(signal);
    }
  } finally {
    subscription.close();
    catchingUp.delete(subscription);
  }
}
