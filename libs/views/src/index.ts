export { listWaitMsMax } from './lists/freshness.js';
export type { ViewMetrics } from './metrics.js';
export * from './reading.js';
export { openState, type StateOptions } from './state/open-state.js';
export { type State, StateUnreadableError } from './state/state.js';
export { openViews, type ViewOptions, type Views } from './views.js';
