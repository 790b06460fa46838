import type { Caller } from '#domain';
import type { SystemStamps } from '../cascade/system-stamps.js';
import type { Clock } from '../ports/clock.js';
import type { LedgerLogger } from '../ports/telemetry.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';

/** Tasks of one event. */
export const noticeTasksMax = 256;
/** Tasks that may wait to be noted, over all cancellations; of what does not fit nothing is claimed. */
export const noticesMax = 20_000;
/** A notice waits this long for others. Milliseconds. */
export const noticeFlushMs = 200;
/** Times that a notice waits for its certificate to be opened. */
const waitsMax = 20;

/** The word of a cancellation that went out about a task. */
export interface Notice {
  readonly cancellationId: string;
  readonly taskId: string;
}

type Through = 'feed' | 'stream';

interface Batch {
  readonly cancellationId: string;
  readonly to: string;
  readonly through: Through;
  readonly taskIds: Set<string>;
  readonly waits: number;
}

export interface NoticeParts {
  readonly cancellations: CancellationStreams;
  readonly stamps: SystemStamps;
  readonly clock: Clock;
  readonly logger: LedgerLogger;
}

/**
 * Notes on certificates which workers were told: gathered for a moment, then written for many tasks at once. What
 * cannot be noted is left as it is: a worker that may have been told is never claimed to have been.
 */
export class WorkerNotices {
  readonly #batches = new Map<string, Batch>();
  readonly #writing = new Set<Promise<void>>();
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly parts: NoticeParts) {}

  /** Handed to this caller; only an agent is a worker. */
  handed(to: Caller, through: Through, notices: readonly Notice[]): void {
    if (to.role !== 'agent' || this.#closed) return;
    for (const { cancellationId, taskId } of notices)
      this.#add({ cancellationId, to: to.principal, through, taskIds: new Set([taskId]), waits: 0 });
  }

  /** Everything that is known to have gone out is noted, or could not be. */
  async flush(): Promise<void> {
    this.#flushAll();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    clearTimeout(this.#timer);
  }

  #add(notice: Batch): void {
    if (this.#waiting + notice.taskIds.size > noticesMax) return;
    const key = JSON.stringify([notice.cancellationId, notice.to, notice.through]);
    const batch = this.#batches.get(key);
    if (batch === undefined) {
      this.#batches.set(key, notice);
      this.#waiting += notice.taskIds.size;
    } else {
      const before = batch.taskIds.size;
      for (const taskId of notice.taskIds) batch.taskIds.add(taskId);
      this.#waiting += batch.taskIds.size - before;
    }
    if (notice.waits === 0 && (batch ?? notice).taskIds.size >= noticeTasksMax) this.#flush(key);
    else this.#flushSoon();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flushAll(), noticeFlushMs).unref();
  }

  #flushAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const key of [...this.#batches.keys()]) this.#flush(key);
  }

  #flush(key: string): void {
    const batch = this.#batches.get(key);
    if (batch === undefined) return;
    this.#batches.delete(key);
    const written = this.#write(batch).finally(() => {
      this.#waiting -= batch.taskIds.size;
      this.#writing.delete(written);
    });
    this.#writing.add(written);
  }

  async #write(batch: Batch): Promise<void> {
    const { cancellationId } = batch;
    try {
      // The word of a cancellation may go out before its certificate is opened.
      const { cancellations } = this.parts;
      const log = cancellations.kept(cancellationId) ?? (await cancellations.load(cancellationId));
      if (log !== undefined) await this.#note(batch);
      else this.#later(batch);
    } catch (error) {
      const message = 'workers that were told are not on the certificate';
      this.parts.logger.warn({ err: error, cancellationId }, message);
    }
  }

  async #note({ cancellationId, to, through, taskIds }: Batch): Promise<void> {
    const { cancellations, stamps, clock } = this.parts;
    const told = [...taskIds];
    for (let first = 0; first < told.length; first += noticeTasksMax) {
      const at = new Date(clock.now()).toISOString();
      const page = told.slice(first, first + noticeTasksMax);
      const command = { type: 'NotifyWorkers', at, taskIds: page, to, through } as const;
      await cancellations.add(cancellationId, command, (owned) => stamps.own(cancellationId, owned));
    }
  }

  #later(batch: Batch): void {
    if (this.#closed || batch.waits >= waitsMax) return;
    queueMicrotask(() => this.#add({ ...batch, waits: batch.waits + 1 }));
  }
}
