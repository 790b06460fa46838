export { listWaitMsMax } from './lists/freshness.js';
export type { ViewMetrics } from './metrics.js';
export * from './reading.js';
export { openState, type StateOptions } from './state/open-state.js';
export { type State, StateUnreadableError } from './state/state.js';
export {
  openPostgresStorage,
  openSqliteStorage,
  type PostgresStorageOptions,
  type SqliteStorageOptions,
  type Storage,
  type StorageHealth,
} from './storage.js';
export { StorageSettingError, StorageUnavailableError, ViewsUnavailableError } from './store/errors.js';
export type { SharedTables, ViewStorage } from './store/view-database.js';
export { openViews, type ViewOptions, type Views } from './views.js';
export * from './store/backup/index.js';
