export * from './memory-event-store.js';
export * from './memory-store-faults.js';
export * from './store-in-front.js';
export * from './eventstoredb/index.js';
export * from './postgres/index.js';
