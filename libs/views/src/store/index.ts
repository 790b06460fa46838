export * from './rows.js';
export { SqliteViewStorage } from './sqlite/sqlite-view-storage.js';
export * from './view-database.js';
