export type { Commit, EmbeddedStore, EmbeddedStoreOptions } from './embedded-store.js';
export { openEmbeddedStore } from './embedded-store.js';
export { FolderInUseError } from './folder-lock.js';
