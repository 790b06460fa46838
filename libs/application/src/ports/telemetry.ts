/** What the ledger says of itself; pino fits. No message contents, no secrets. */
export interface LedgerLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Counters for the operator. Called on the hot path: an implementation must be cheap and must not throw. */
export interface LedgerMetrics {
  /** An append was acknowledged: events in it, and milliseconds from the call to the answer. */
  appended(events: number, milliseconds: number): void;
  /** A write was refused, by its stable code. */
  refused(code: string): void;
  /** A decision lost its race and was made again. */
  conflict(): void;
}

export const silentLogger: LedgerLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
