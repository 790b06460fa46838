/** Counters for the operator. An implementation must be cheap and must not throw. */
export interface SagaMetrics {
  /** An event was taken up whose consequences may not all be appended. */
  taken(): void;
  /** A call failed and is tried again. */
  retried(): void;
  /** A certificate was settled; milliseconds since the cancellation's first fact. */
  settled(milliseconds: number): void;
}

/** One by one: metrics may be an instance of a class, whose methods a spread would lose. */
export const completedMetrics = (metrics: Partial<SagaMetrics> = {}): SagaMetrics => ({
  taken: () => metrics.taken?.(),
  retried: () => metrics.retried?.(),
  settled: (milliseconds) => metrics.settled?.(milliseconds),
});
