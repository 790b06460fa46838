export * from './rows.js';
export { openSqliteState } from './sqlite/state/sqlite-state.js';
export { SqliteViewStorage } from './sqlite/sqlite-view-storage.js';
export * from './view-database.js';
