export * from './memory-event-store.js';
export * from './memory-store-faults.js';
