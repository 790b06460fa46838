export type { Commit, EmbeddedStore, EmbeddedStoreOptions } from './embedded-store.js';
export { openEmbeddedStore } from './embedded-store.js';
export { FolderInUseError, lockFolder, type FolderLock } from './folder-lock.js';
export { copyLogFile, openLogFile, type LogFile, type LogFileSummary } from './log-copy.js';
