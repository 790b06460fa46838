import { mkdirSync } from 'node:fs';
import { withCallChecks } from '../../checked-store.js';
import { StoreUnavailableError } from '../../errors.js';
import { LogGrowth } from '../../log-growth.js';
import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StoreHealth,
  SubscribeOptions,
  Subscription,
} from '../../port.js';
import type { FollowedLog, LogPage, LogPageRequest } from '../../subscription.js';
import { followLog } from '../../subscription.js';
import { AppendQueue } from './append-queue.js';
import { CommitThread, commitWorkerFile } from './commit-thread.js';
import type { FolderLock } from './folder-lock.js';
import { lockFolder } from './folder-lock.js';
import {
  busyMillisecondsDefault,
  lockMillisecondsDefault,
  probeMilliseconds,
  readBusyMilliseconds,
  recentBytesMax,
} from './limits.js';
import { LogReader } from './log-reader.js';
import type { CommittedMessage, Trouble } from './messages.js';
import { RecentEvents } from './recent-events.js';
import { logFile, openForReading } from './schema.js';

/** One transaction, for metrics. */
export interface Commit {
  /** Written; refused and repeated ones are not counted. */
  readonly appends: number;
  readonly events: number;
  readonly milliseconds: number;
}

export interface EmbeddedStoreOptions {
  /** Created when it is not there; one process at a time. */
  readonly folder: string;
  /** How long to wait for the process that has the folder. Default 5,000. */
  readonly lockMilliseconds?: number;
  /** How long an append waits while another connection keeps the log locked. Default 10,000. */
  readonly busyMilliseconds?: number;
  /** Bytes the log may grow to; a log at its limit behaves as one on a full disk. Default: no limit. */
  readonly fileBytesMax?: number;
  /** UTF-16 units of text kept in memory for live subscribers. Default 4 Mi. */
  readonly recentBytes?: number;
  readonly onCommit?: (commit: Commit) => void;
  /** Script of the commit thread, for tests that break it. */
  readonly commitScript?: string;
}

export interface EmbeddedStore extends EventStore {
  /** Another limit from now on, in bytes; never below the present size. */
  limitFile(fileBytesMax: number): void;
}

/**
 * The event log in a folder of this machine: SQLite, one writing thread, synced before it is acknowledged.
 * @throws FolderInUseError when another process has the folder, StoreUnavailableError when it cannot be opened
 */
export const openEmbeddedStore = async (options: EmbeddedStoreOptions): Promise<EmbeddedStore> => {
  mkdirSync(options.folder, { recursive: true });
  const lock = await lockFolder(options.folder, options.lockMilliseconds ?? lockMillisecondsDefault);
  const log = new EmbeddedLog(options, lock);
  try {
    await log.open();
    return { ...withCallChecks(log), limitFile: (fileBytesMax) => log.limitFile(fileBytesMax) };
  } catch (error) {
    await log.close();
    throw error;
  }
};

class EmbeddedLog implements EventStore, FollowedLog {
  readonly growth = new LogGrowth();
  readonly #queue = new AppendQueue((batch) => this.#thread?.commit(batch));
  readonly #recent: RecentEvents;
  #thread: CommitThread | undefined;
  #reader: LogReader | undefined;
  #trouble: Trouble = null;
  #probe: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly options: EmbeddedStoreOptions,
    private readonly lock: FolderLock,
  ) {
    this.#recent = new RecentEvents(options.recentBytes ?? recentBytesMax);
  }

  async open(): Promise<void> {
    const file = logFile(this.options.folder);
    const busyMilliseconds = this.options.busyMilliseconds ?? busyMillisecondsDefault;
    const settings = { file, busyMilliseconds, fileBytesMax: this.options.fileBytesMax };
    const listener = {
      opened: (newest: number) => this.#opened(newest),
      committed: (message: CommittedMessage) => this.#committed(message),
      health: (trouble: Trouble) => this.#hearHealth(trouble),
      lost: (reason: string) => this.#lost(reason),
    };
    this.#thread = await CommitThread.open(settings, listener, this.options.commitScript ?? commitWorkerFile);
    this.#reader = new LogReader(openForReading(file, readBusyMilliseconds), () => this.growth.newest);
  }

  limitFile(fileBytesMax: number): void {
    this.#thread?.limit(fileBytesMax);
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (this.#closing !== undefined) return Promise.reject(new StoreUnavailableError('the store is closing'));
    return this.#queue.append({ stream, expected, events });
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return Promise.resolve(this.#reading().readStream(stream, options));
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.#reading().readAll(options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return followLog(this, options);
  }

  async page(request: LogPageRequest): Promise<LogPage> {
    return this.#recent.page(request) ?? this.#reading().page(request);
  }

  async head(prefix: string): Promise<string | undefined> {
    return this.#reading().head(prefix);
  }

  health(): StoreHealth {
    if (this.#closing !== undefined) return { writable: false, reason: 'the store is closing' };
    return this.#trouble === null ? { writable: true } : { writable: false, reason: this.#trouble };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    clearTimeout(this.#probe);
    this.growth.close();
    this.#reader?.close();
    await this.#thread?.close();
    this.lock.release();
  }

  #reading(): LogReader {
    if (this.#reader === undefined || this.growth.closed)
      throw new StoreUnavailableError('the store is closed');
    return this.#reader;
  }

  #opened(newest: number): void {
    // After a restart the file may hold a batch whose answer never came.
    this.#recent.clear();
    this.growth.advance(newest);
    this.#hearHealth(null);
    this.#queue.resume();
  }

  #committed(message: CommittedMessage): void {
    const written = this.#queue.settle(message);
    this.#hearHealth(message.trouble);
    const last = written.at(-1);
    if (last === undefined) return;
    this.#recent.add(written, message.created);
    this.growth.advance(last.position);
    const events = written.reduce((sum, { request }) => sum + request.events.length, 0);
    this.options.onCommit?.({ appends: written.length, events, milliseconds: message.milliseconds });
  }

  #lost(reason: string): void {
    this.#trouble = `the commit thread ended: ${reason}`;
    this.#queue.suspend(reason);
  }

  /** While the store cannot write it is asked again and again, so that health turns without an append. */
  #hearHealth(trouble: Trouble): void {
    this.#trouble = trouble;
    clearTimeout(this.#probe);
    if (trouble === null || this.#closing !== undefined) return;
    this.#probe = setTimeout(() => this.#thread?.probe(), probeMilliseconds).unref();
  }
}
