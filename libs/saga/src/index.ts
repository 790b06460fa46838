export { openSaga, type Saga, type SagaOptions, type SagaStatus } from './saga.js';
export * from './sweep/exhaustive.js';
export * from './sweep/known.js';
export * from './sweep/sweep.js';
export type { SagaMetrics } from './telemetry.js';
export { openTimers, type Timers, type TimersOptions } from './timers/timers.js';
