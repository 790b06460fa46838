import { MemoryEventStore } from '#testing';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('memory', async () => {
  const store = new MemoryEventStore();
  return Promise.resolve({ store, dispose: () => store.close() });
});
