import { foldVersion, isTerminal, type Task } from '#domain';
import type { Position, RecordedEvent } from '#event-store';
import type { Snapshots, SnapshotWithDocument } from '../ports/snapshots.js';
import type { LedgerLogger } from '../ports/telemetry.js';
import { unavailable } from '../store/failures.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { Fold, HotFolds } from './hot-folds.js';
import { StreamFold } from './stream-fold.js';

/** Reads that are asked again because they ended below a revision this process already knew. */
const monotonicRetriesMax = 3;

export interface LoaderParts {
  readonly reader: StreamReader;
  readonly names: StreamNames;
  readonly hot: HotFolds;
  readonly logger: LedgerLogger;
  readonly snapshots?: Snapshots;
  /** No other process writes to this log: a hot fold is the newest one. */
  readonly soleWriter: boolean;
}

/** What a fold from a known revision found. `mismatch`: the log holds another event there. */
type FoldedTail = { readonly fold: Fold | undefined } | 'mismatch';

/** A task is short while reading it whole costs no more than reading its end: events, and bytes of their JSON. */
export const shortEventsMax = 32;
const shortBytesMax = 32_768;

const isShort = ({ revision, bytes }: Task): boolean => revision < shortEventsMax && bytes <= shortBytesMax;

type Visit = (recorded: RecordedEvent) => void;
type Until = (recorded: RecordedEvent) => boolean;

const foldOf = ({ task, tail }: StreamFold): Fold | undefined => task && { task, tail };

/** Loads one task for a decision or a read: hot fold, else snapshot and verified tail, else its stream from 0. */
export class TaskLoader {
  constructor(private readonly parts: LoaderParts) {}

  /** The newest fold, or undefined when no such task exists. */
  current(taskId: string): Promise<Fold | undefined> {
    const hot = this.parts.hot.get(taskId);
    return hot === undefined ? this.fromStore(taskId) : Promise.resolve(hot);
  }

  /**
   * The fold as the log has it now, for an answer that is not decided on the task's own stream. Many tasks may be
   * asked for, and most are short: their streams are read before their snapshots.
   */
  newest(taskId: string): Promise<Fold | undefined> {
    const hot = this.atHand(taskId);
    return hot === undefined
      ? this.#monotonic(taskId, () => this.#streamFirst(taskId))
      : Promise.resolve(hot);
  }

  /** The fold that is hot, where nothing in the log can be newer. */
  atHand(taskId: string): Fold | undefined {
    const hot = this.parts.hot.get(taskId);
    return hot !== undefined && (this.parts.soleWriter || isTerminal(hot.task.state)) ? hot : undefined;
  }

  /** The fold as the log has it now. Never below a revision that this process knows already. */
  fromStore(taskId: string): Promise<Fold | undefined> {
    return this.#monotonic(taskId, () => this.#load(taskId));
  }

  async #monotonic(taskId: string, load: () => Promise<Fold | undefined>): Promise<Fold | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      const known = this.parts.hot.revisionOf(taskId) ?? -1;
      const fold = await this.#loading(taskId, load);
      if ((fold?.task.revision ?? -1) >= known) return fold;
      if (attempt >= monotonicRetriesMax)
        throw unavailable(`the log answers task ${taskId} as it was before`);
    }
  }

  /**
   * Goes on from a fold after a conflict or an unknown outcome; `visit` sees every event after it, so that a command
   * can find its own. The fold itself is verified like a snapshot.
   */
  async goOn(taskId: string, base: Task | undefined, visit: Visit): Promise<Fold | undefined> {
    this.parts.hot.drop(taskId);
    return this.#loading(taskId, async () => {
      const folded = await this.#foldFrom(taskId, base, visit);
      return folded === 'mismatch' ? this.#fromStart(taskId, visit) : folded.fold;
    });
  }

  /** Folds on from a snapshot, content too. Undefined: the log does not agree with it (and the view is marked). */
  async foldOnto(taskId: string, snapshot: SnapshotWithDocument): Promise<StreamFold | undefined> {
    const { task, document } = snapshot;
    const fold = new StreamFold(taskId, this.parts.names, { task, document, content: true });
    const verified = await this.#run(fold, taskId, task);
    if (!verified) this.distrust(taskId, task);
    return verified ? fold : undefined;
  }

  /** Folds a stream from its start, content too; `until` stops before the first event it refuses. */
  replay(taskId: string, until: Until): Promise<StreamFold> {
    return this.#replay(new StreamFold(taskId, this.parts.names, { content: true }), taskId, until);
  }

  /** The task as of a revision: from a fold that still holds it, else folded from the start. */
  async asOf(taskId: string, revision: number, held?: Fold): Promise<Task | undefined> {
    if (held?.task.revision === revision) return held.task;
    const kept = held?.tail.find(({ event }) => event.revision === revision);
    return (kept ?? (await this.foldTo(taskId, revision)))?.task;
  }

  /** Folds a stream from its start to a revision, without content. */
  async foldTo(taskId: string, revision: number): Promise<Fold | undefined> {
    const fold = new StreamFold(taskId, this.parts.names, { content: false });
    return foldOf(await this.#replay(fold, taskId, (recorded) => recorded.revision <= revision));
  }

  /** Store position of one event. */
  async positionOf(taskId: string, revision: number): Promise<Position | undefined> {
    const [recorded] = await this.parts.reader.page(this.parts.names.task(taskId), revision, 1);
    return recorded?.position;
  }

  async #replay(fold: StreamFold, taskId: string, until: Until): Promise<StreamFold> {
    for await (const page of this.parts.reader.pages(this.parts.names.task(taskId), 0)) {
      const end = page.findIndex((recorded) => !until(recorded));
      fold.addPage(end < 0 ? page : page.slice(0, end));
      if (end >= 0 || fold.ended) return fold;
    }
    return fold;
  }

  distrust(taskId: string, snapshot: Task): void {
    const detail = `the log holds another event than ${snapshot.lastEventId} at ${String(snapshot.revision)}`;
    this.parts.logger.warn({ taskId, revision: snapshot.revision }, 'a snapshot does not agree with the log');
    this.parts.snapshots?.distrust(taskId, detail);
  }

  async #loading(taskId: string, load: () => Promise<Fold | undefined>): Promise<Fold | undefined> {
    const { hot } = this.parts;
    const loading = hot.beginLoad(taskId);
    try {
      const fold = await load();
      if (fold !== undefined) hot.offer(loading, fold);
      return fold;
    } finally {
      hot.endLoad(loading);
    }
  }

  async #load(taskId: string): Promise<Fold | undefined> {
    const snapshot = await this.parts.snapshots?.load(taskId);
    // A flagged snapshot is not used: this version may be able to read what an older one could not.
    if (snapshot?.foldVersion !== foldVersion || snapshot.task.unreadable !== undefined) {
      return this.#fromStart(taskId);
    }
    if (isShort(snapshot.task)) return this.#short(taskId, snapshot.task);
    const folded = await this.#foldFrom(taskId, snapshot.task);
    if (folded !== 'mismatch') return folded.fold;
    this.distrust(taskId, snapshot.task);
    return this.#fromStart(taskId);
  }

  /** A short task read whole costs one read, and less than its snapshot. */
  async #streamFirst(taskId: string): Promise<Fold | undefined> {
    if (this.parts.snapshots === undefined) return this.#load(taskId);
    const page = await this.parts.reader.page(this.parts.names.task(taskId), 0, shortEventsMax + 1);
    if (page.length > shortEventsMax) return this.#load(taskId);
    const fold = new StreamFold(taskId, this.parts.names, { content: false });
    fold.addPage(page);
    return foldOf(fold);
  }

  /** Read whole, a short task needs the view no more: not for its content either. */
  async #short(taskId: string, snapshot: Task): Promise<Fold | undefined> {
    const fold = await this.#fromStart(taskId);
    const there = fold?.tail.find(({ event }) => event.revision === snapshot.revision);
    if (there?.event.id !== snapshot.lastEventId) this.distrust(taskId, snapshot);
    return fold;
  }

  async #fromStart(taskId: string, visit?: Visit): Promise<Fold | undefined> {
    const folded = await this.#foldFrom(taskId, undefined, visit);
    return folded === 'mismatch' ? undefined : folded.fold;
  }

  async #foldFrom(taskId: string, base: Task | undefined, visit?: Visit): Promise<FoldedTail> {
    const fold = new StreamFold(taskId, this.parts.names, { ...(base && { task: base }), content: false });
    if (!(await this.#run(fold, taskId, base, visit))) return 'mismatch';
    return { fold: foldOf(fold) };
  }

  /** False when the log does not hold the base's event at its revision. */
  async #run(fold: StreamFold, taskId: string, base: Task | undefined, visit?: Visit): Promise<boolean> {
    let verified = base === undefined;
    for await (const page of this.parts.reader.pages(this.parts.names.task(taskId), base?.revision ?? 0)) {
      const [first] = page;
      const news = base === undefined || verified ? page : page.slice(1);
      if (base !== undefined && !verified && first !== undefined) {
        if (first.revision !== base.revision || first.id !== base.lastEventId) return false;
        verified = true;
        fold.seed(first, base);
      }
      if (visit !== undefined) news.forEach(visit);
      fold.addPage(news);
      if (fold.ended && visit === undefined) return verified;
    }
    return verified;
  }
}
