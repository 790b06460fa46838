export { listWaitMsMax } from './lists/freshness.js';
export type { ViewMetrics } from './metrics.js';
export * from './reading.js';
export { openViews, type ViewOptions, type Views } from './views.js';
