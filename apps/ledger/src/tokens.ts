/** Injection tokens: what the composition root (runtime.ts) hands to the surfaces. */

/** {@link Ledger} of `#application`. */
export const LEDGER = Symbol('LEDGER');
/** {@link Views} of `#views`. */
export const VIEWS = Symbol('VIEWS');
/** {@link LedgerConfig}. */
export const CONFIG = Symbol('CONFIG');
/** {@link Callers}: who a request comes from. */
export const CALLERS = Symbol('CALLERS');
/** {@link Drain}: fires when the service is about to stop. */
export const DRAIN = Symbol('DRAIN');
/** {@link Metrics}. */
export const METRICS = Symbol('METRICS');
/** pino's Logger. */
export const LOGGER = Symbol('LOGGER');
/** The event store: to check positions only. */
export const STORE = Symbol('STORE');
/** {@link Readiness}. */
export const READINESS = Symbol('READINESS');
/** {@link Address}: the base URL, known once the service listens. */
export const ADDRESS = Symbol('ADDRESS');
/** {@link EventStreams}: the event streams of the ledger API. */
export const STREAMS = Symbol('STREAMS');
