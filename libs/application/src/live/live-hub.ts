import { setTimeout as delay } from 'node:timers/promises';
import { EMPTY, Subject, type Observable } from 'rxjs';
import { LogChangedError, type EventStore, type Position, type RecordedEvent } from '#event-store';
import { changeOf } from '../folds/change.js';
import type { HotFolds } from '../folds/hot-folds.js';
import type { SeenRevisions } from '../folds/seen-revisions.js';
import type { LedgerLogger } from '../ports/telemetry.js';
import type { StreamNames } from '../streams.js';

/** Pause before the log is followed anew, should a subscription end with an error in spite of its promise. */
const resumePauseMs = 500;

export interface HubParts {
  readonly store: EventStore;
  readonly names: StreamNames;
  readonly hot: HotFolds;
  readonly logger: LedgerLogger;
  /** The newest revisions that this process knows of, where others write too. */
  readonly seen?: SeenRevisions;
  /** Told of the position of what the log has brought. */
  readonly toldOf?: (position: Position) => void;
}

/**
 * Follows the whole log once for the process: moves hot folds on, and tells whoever watches a stream how far it has
 * come. Only revisions go through here; what happened is read from the fold or from the log.
 */
export class LiveHub {
  readonly #watched = new Map<string, Subject<number>>();
  readonly #end = new AbortController();
  readonly #closing = new Set<() => void>();
  #following: Promise<void> = Promise.resolve();
  #newest: Position | undefined;

  constructor(private readonly parts: HubParts) {}

  /** Position of the newest event that was appended here or seen in the log. */
  get newest(): Position | undefined {
    return this.#newest;
  }

  /** Runs `end` when the hub closes; the answer takes that back. */
  onClose(end: () => void): () => void {
    this.#closing.add(end);
    return () => this.#closing.delete(end);
  }

  /** Resolves when the subscription stands: everything appended from now on will be told. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#following = this.#follow(resolve);
      this.#following.catch(reject);
    });
  }

  async close(): Promise<void> {
    this.#end.abort();
    for (const end of [...this.#closing]) end();
    await this.#following.catch(() => undefined);
    for (const subject of [...this.#watched.values()]) subject.complete();
    this.#watched.clear();
  }

  /** Revisions of one stream as they are seen, own appends included; one may be told twice. Ends with the hub. */
  revisions(stream: string): Observable<number> {
    if (this.#end.signal.aborted) return EMPTY;
    let subject = this.#watched.get(stream);
    if (subject === undefined) {
      subject = new Subject<number>();
      this.#watched.set(stream, subject);
    }
    return subject.asObservable();
  }

  /** Nobody watches this stream any more, or somebody still does: then nothing happens. */
  release(stream: string): void {
    if (this.#watched.get(stream)?.observed === false) this.#watched.delete(stream);
  }

  /** An append of this process was acknowledged. */
  appended(stream: string, revision: number, position: Position): void {
    this.#see(position);
    this.#watched.get(stream)?.next(revision);
  }

  #see(position: Position): void {
    if (this.#newest === undefined || position > this.#newest) this.#newest = position;
  }

  async #follow(standing: () => void): Promise<void> {
    const { store, names } = this.parts;
    const { prefix } = names;
    // A place in the log, where it is known: opened again before its first event, the subscription misses nothing.
    let from: Position | 'end' = (await store.head(prefix)) ?? 'end';
    while (!this.#end.signal.aborted) {
      try {
        for await (const message of store.subscribe({ from, prefix, signal: this.#end.signal })) {
          if (message.kind === 'live') standing();
          else from = this.#deliver(message.events) ?? from;
        }
        if (!this.#end.signal.aborted) await this.#pause(undefined);
      } catch (error) {
        await this.#pause(error);
        if (error instanceof LogChangedError) from = await this.#startOver(from);
      }
    }
  }

  /** The log was put back from a backup: what was known of it may not be there any more. */
  async #startOver(before: Position | 'end'): Promise<Position | 'end'> {
    const { store, names, seen } = this.parts;
    seen?.clear();
    return store.head(names.prefix).then(
      (head) => head ?? 'end',
      () => before,
    );
  }

  /** Folds may have missed something; watchers look for themselves. */
  async #pause(error: unknown): Promise<void> {
    this.parts.logger.error({ err: error }, 'the subscription to the log ended; it is opened again');
    this.parts.hot.clear();
    await delay(resumePauseMs, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  #deliver(events: readonly RecordedEvent[]): Position | undefined {
    for (const recorded of events) {
      const taskId = this.parts.names.taskIdOf(recorded.stream);
      if (taskId !== undefined) this.#moveOn(taskId, recorded);
      this.#watched.get(recorded.stream)?.next(recorded.revision);
    }
    const last = events.at(-1)?.position;
    if (last === undefined) return undefined;
    this.#see(last);
    this.parts.toldOf?.(last);
    return last;
  }

  #moveOn(taskId: string, recorded: RecordedEvent): void {
    const { hot, names, seen } = this.parts;
    seen?.see(taskId, recorded.revision);
    hot.follow(taskId, recorded.revision, (task) => changeOf(task, recorded, names));
  }
}
