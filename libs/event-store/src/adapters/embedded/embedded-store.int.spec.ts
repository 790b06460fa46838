import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durableEventStoreContract } from '../../event-store.contract.js';
import { openEmbeddedStore } from './embedded-store.js';

durableEventStoreContract('embedded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  let store = await openEmbeddedStore({ folder });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openEmbeddedStore({ folder });
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
