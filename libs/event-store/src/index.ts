export * from './adapters/embedded/index.js';
export * from './adapters/eventstoredb/index.js';
export * from './checked-store.js';
export * from './errors.js';
export * from './log-growth.js';
export * from './port.js';
export * from './positions.js';
export * from './subscription.js';
