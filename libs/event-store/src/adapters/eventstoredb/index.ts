export { isKnownClientFault } from './client-faults.js';
export type { EventStoreDbLogger, EventStoreDbMetrics, EventStoreDbOptions } from './open-event-store-db.js';
export { openEventStoreDb } from './open-event-store-db.js';
export { EventStoreSettingError } from './settings/setting-error.js';
