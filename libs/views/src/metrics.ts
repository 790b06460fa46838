/** What the views tell of themselves. Called on the hot path: an implementation must be cheap and must not throw. */
export interface ViewMetrics {
  /** A batch was written: events in it, and milliseconds that folding and writing took. */
  projected(events: number, milliseconds: number): void;
}

export const noViewMetrics: ViewMetrics = { projected: () => undefined };
