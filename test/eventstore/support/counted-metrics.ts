import type { EventStoreDbMetrics } from '#event-store';

export type Counted = Record<keyof EventStoreDbMetrics, number>;

/** Metrics of a store, and how often each was told. */
export const countedMetrics = (): { readonly metrics: EventStoreDbMetrics; readonly count: Counted } => {
  const count: Counted = {
    clientLeft: 0,
    clientFault: 0,
    retried: 0,
    outcomeUnknown: 0,
    resubscribed: 0,
    staleAnswer: 0,
  };
  const names = Object.keys(count) as (keyof EventStoreDbMetrics)[];
  return { metrics: Object.fromEntries(names.map((name) => [name, () => (count[name] += 1)])), count };
};
