export type { Dialect, TaskRecord, Told } from './dialect.js';
export * from './registry.js';
