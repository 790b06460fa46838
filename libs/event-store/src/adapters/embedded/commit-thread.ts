import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../../errors.js';
// The type import is also what brings the worker's file into the build: nothing else names it.
import type { CommitThreadSettings } from './commit.worker.js';
import { restartMilliseconds } from './limits.js';
import type {
  AppendRequest,
  CommittedMessage,
  FromCommitThread,
  ToCommitThread,
  Trouble,
} from './messages.js';
import { flattenBatch } from './messages.js';

/** What the store hears from its commit thread. */
export interface CommitThreadListener {
  /** Started, again perhaps. `newest`: position of the newest event in the file, 0 for none. */
  opened(newest: number): void;
  committed(message: CommittedMessage): void;
  health(trouble: Trouble): void;
  /** Gone without being asked to; another one is started. */
  lost(reason: string): void;
}

// A thread is started from JavaScript. From the sources (Jest) that is the file of the last build: `npm run build`
// comes before the tests.
const built = import.meta.url.endsWith('.ts')
  ? '../../../../../dist/libs/event-store/src/adapters/embedded/commit.worker.js'
  : './commit.worker.js';
export const commitWorkerFile = fileURLToPath(new URL(built, import.meta.url));

/** The worker thread that owns the writing connection. One that dies is started again. */
export class CommitThread {
  #worker: Worker | undefined;
  #closing = false;
  #starting: Promise<void> | undefined;
  #restart: NodeJS.Timeout | undefined;

  private constructor(
    private readonly settings: CommitThreadSettings,
    private readonly listener: CommitThreadListener,
    private readonly script: string,
  ) {}

  /** Resolves when the file is open for writing. Rejects, and leaves no thread, when it cannot be opened. */
  static async open(
    settings: CommitThreadSettings,
    listener: CommitThreadListener,
    script: string,
  ): Promise<CommitThread> {
    const thread = new CommitThread(settings, listener, script);
    await thread.#start();
    return thread;
  }

  commit(batch: readonly AppendRequest[]): void {
    this.#post({ kind: 'commit', batch: flattenBatch(batch) });
  }

  probe(): void {
    this.#post({ kind: 'probe' });
  }

  limit(fileBytesMax: number): void {
    this.#post({ kind: 'limit', fileBytesMax });
  }

  /** Call it when no commit is under way. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#restart);
    await this.#starting;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    this.#post({ kind: 'close' });
    await gone;
  }

  #post(message: ToCommitThread): void {
    this.#worker?.postMessage(message);
  }

  #start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(this.script, { workerData: this.settings });
      let opened = false;
      let reason = 'it ended';
      worker.on('message', (message: FromCommitThread) => {
        if (message.kind === 'opened') {
          opened = true;
          this.#worker = worker;
          resolve();
        }
        this.#hear(message);
      });
      worker.on('error', (error) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', () => {
        this.#worker = undefined;
        if (opened) this.#lost(reason);
        else reject(new StoreUnavailableError(`the event log cannot be opened: ${reason}`));
      });
    });
  }

  #hear(message: FromCommitThread): void {
    switch (message.kind) {
      case 'opened':
        this.listener.opened(message.newest);
        return;
      case 'committed':
        this.listener.committed(message);
        return;
      case 'health':
        this.listener.health(message.trouble);
        return;
    }
  }

  #lost(reason: string): void {
    if (this.#closing) return;
    this.listener.lost(reason);
    this.#restart = setTimeout(() => {
      this.#starting = this.#start().catch((error: unknown) => {
        this.#lost(error instanceof Error ? error.message : String(error));
      });
    }, restartMilliseconds);
  }
}
