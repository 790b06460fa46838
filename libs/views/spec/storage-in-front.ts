import type { SharedTables, ViewDatabase, ViewStorage } from '../src/store/index.js';

/** Behind which something happens: a real place of views does the work. */
export class StorageInFront implements ViewStorage {
  readonly shared?: SharedTables;

  constructor(protected readonly behind: ViewStorage) {
    if (behind.shared !== undefined) this.shared = behind.shared;
  }

  openLive(): Promise<ViewDatabase | undefined> {
    return this.behind.openLive();
  }

  openNext(): Promise<ViewDatabase | undefined> {
    return this.behind.openNext();
  }

  createNext(...begun: Parameters<ViewStorage['createNext']>): Promise<ViewDatabase> {
    return this.behind.createNext(...begun);
  }

  swap(...exchanged: Parameters<ViewStorage['swap']>): Promise<void> {
    return this.behind.swap(...exchanged);
  }
}
