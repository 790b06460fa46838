import { setTimeout as delay } from 'node:timers/promises';
import { foldVersion, isTerminal, type DomainError, type Task } from '#domain';
import type { Position, RecordedEvent } from '#event-store';
import type { Snapshots, SnapshotWithDocument } from '../ports/snapshots.js';
import type { LedgerLogger } from '../ports/telemetry.js';
import { unavailable } from '../store/failures.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { Fold, HotFolds } from './hot-folds.js';
import type { SeenRevisions } from './seen-revisions.js';
import { StreamFold } from './stream-fold.js';

/** Reads that are asked again because they ended below what is known; the first pause, which doubles. Milliseconds. */
const againMax = 4;
const againMs = 25;

export interface LoaderParts {
  readonly reader: StreamReader;
  readonly names: StreamNames;
  readonly hot: HotFolds;
  readonly logger: LedgerLogger;
  readonly snapshots?: Snapshots;
  /** No other process writes to this log: a hot fold is the newest one. */
  readonly soleWriter: boolean;
  /** The newest revisions that this process knows of, where others write too. */
  readonly seen?: SeenRevisions;
}

/** Whether the log holds a known event where it stood. `behind`: its answer ends before that. */
type Verdict = 'verified' | 'mismatch' | 'behind';

/** What a fold from a known revision found. */
type Found = { readonly fold: Fold | undefined } | 'behind';
type FoldedTail = Found | 'mismatch';

/** A task is short while reading it whole costs no more than reading its end: events, and bytes of their JSON. */
export const shortEventsMax = 32;
const shortBytesMax = 32_768;

const isShort = ({ revision, bytes }: Task): boolean => revision < shortEventsMax && bytes <= shortBytesMax;

type Visit = (recorded: RecordedEvent) => void;
/** What a fold is made for, beside itself. */
interface Wanted {
  /** Sees every event that is folded on. */
  readonly visit?: Visit;
  /** Revision of an event whose position is wanted. */
  readonly at?: number;
}

/** Events before a fold that are read with what comes after it, for the position of one of them. */
const earlierMax = 400;

const nothingMore: Wanted = {};

type Until = (recorded: RecordedEvent) => boolean;

const foldOf = ({ task, tail, position }: StreamFold): Fold | undefined =>
  task && { task, tail, ...(position !== undefined && { position }) };

/** A fold that went on from another one, with the events of both. */
const joined = (before: Fold, after: Fold): Fold => ({
  ...after,
  tail: [...before.tail, ...after.tail.filter(({ event }) => event.revision > before.task.revision)],
});

export const answersOld = (taskId: string): DomainError =>
  unavailable(`the log answers task ${taskId} as it was before`);

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
      ? this.#monotonic(taskId, (isLast) => this.#streamFirst(taskId, isLast))
      : Promise.resolve(hot);
  }

  /** An event of this task was seen in the log: no fold that is loaded from now on is older. */
  saw(taskId: string, revision: number): void {
    this.parts.seen?.see(taskId, revision);
  }

  /** The fold that is hot, where nothing in the log can be newer. */
  atHand(taskId: string): Fold | undefined {
    const hot = this.parts.hot.get(taskId);
    return hot !== undefined && (this.parts.soleWriter || isTerminal(hot.task.state)) ? hot : undefined;
  }

  /**
   * The fold as the log has it now. Never below a revision that this process knows already.
   * @param at revision of an event whose position is wanted too, where it can be had in the same read
   */
  fromStore(taskId: string, at?: number): Promise<Fold | undefined> {
    return this.#monotonic(taskId, (isLast) => this.#load(taskId, isLast, at));
  }

  /**
   * Goes on from a fold after a conflict or an unknown outcome; `visit` sees every event after it, so that a command
   * can find its own. The fold itself is verified like a snapshot.
   */
  goOn(taskId: string, base: Task | undefined, wanted: Wanted): Promise<Fold | undefined> {
    this.parts.hot.drop(taskId);
    return this.#monotonic(taskId, async (isLast) => {
      const folded = await this.#foldFrom(taskId, base, wanted);
      const isOther = folded === 'mismatch' || (folded === 'behind' && isLast);
      return isOther ? { fold: await this.#fromStart(taskId, wanted) } : folded;
    });
  }

  /**
   * An answer that ends below what this process knows comes from a server that was deposed and has not heard of it: it
   * is asked for again. `isLast`: no longer; what only a view knows may have gone with a log put back from a backup.
   */
  async #monotonic(taskId: string, load: (isLast: boolean) => Promise<Found>): Promise<Fold | undefined> {
    const { hot, seen } = this.parts;
    for (let attempt = 0; ; attempt += 1) {
      const known = Math.max(hot.revisionOf(taskId) ?? -1, seen?.of(taskId) ?? -1);
      const found = await this.#loading(taskId, known, () => load(attempt >= againMax));
      if (found !== 'behind' && reaches(found.fold, known)) return found.fold;
      if (attempt >= againMax) throw answersOld(taskId);
      await delay(againMs * 2 ** attempt);
    }
  }

  /** Folds on from a snapshot, content too. Undefined: the log does not agree with it (and the view is marked), or not yet. */
  async foldOnto(taskId: string, snapshot: SnapshotWithDocument): Promise<StreamFold | undefined> {
    const { task, document } = snapshot;
    const fold = new StreamFold(taskId, this.parts.names, { task, document, content: true });
    const verdict = await this.#run(fold, taskId, task, nothingMore);
    if (verdict === 'verified') return fold;
    if (verdict === 'mismatch' || this.parts.soleWriter) this.distrust(taskId, task);
    return undefined;
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

  async #loading(taskId: string, known: number, load: () => Promise<Found>): Promise<Found> {
    const { hot, seen } = this.parts;
    const loading = hot.beginLoad(taskId);
    try {
      const found = await load();
      if (found === 'behind' || found.fold === undefined) return found;
      seen?.see(taskId, found.fold.task.revision);
      if (reaches(found.fold, known)) hot.offer(loading, found.fold);
      return found;
    } finally {
      hot.endLoad(loading);
    }
  }

  async #load(taskId: string, isLast: boolean, at?: number): Promise<Found> {
    const wanted = at === undefined ? nothingMore : { at };
    const onto = await this.#ontoHot(taskId, wanted);
    if (onto !== undefined) return onto;
    const snapshot = await this.parts.snapshots?.load(taskId);
    // A flagged snapshot is not used: this version may be able to read what an older one could not.
    if (snapshot?.foldVersion !== foldVersion || snapshot.task.unreadable !== undefined) {
      return { fold: await this.#fromStart(taskId, wanted) };
    }
    if (isShort(snapshot.task)) return this.#short(taskId, snapshot.task, isLast, wanted);
    const folded = await this.#foldFrom(taskId, snapshot.task, wanted);
    if (folded !== 'mismatch' && !(folded === 'behind' && this.#gaveUp(isLast))) return folded;
    this.distrust(taskId, snapshot.task);
    return { fold: await this.#fromStart(taskId, wanted) };
  }

  /** Where this process alone writes, no answer is an old one. */
  #gaveUp(isLast: boolean): boolean {
    return isLast || this.parts.soleWriter;
  }

  /** From the fold in memory on: the one event at its end is read again, and what others have appended since. */
  async #ontoHot(taskId: string, wanted: Wanted): Promise<Found | undefined> {
    const hot = this.parts.hot.peek(taskId);
    if (hot === undefined) return undefined;
    const folded = await this.#foldFrom(taskId, hot.task, wanted);
    if (folded === 'behind') return folded;
    if (folded !== 'mismatch' && folded.fold !== undefined) return { fold: joined(hot, folded.fold) };
    this.parts.hot.drop(taskId);
    return undefined;
  }

  /** A short task read whole costs one read, and less than its snapshot. */
  async #streamFirst(taskId: string, isLast: boolean): Promise<Found> {
    const isHot = this.parts.hot.revisionOf(taskId) !== undefined;
    if (isHot || this.parts.snapshots === undefined) return this.#load(taskId, isLast);
    const page = await this.parts.reader.page(this.parts.names.task(taskId), 0, shortEventsMax + 1);
    if (page.length > shortEventsMax) return this.#load(taskId, isLast);
    const fold = new StreamFold(taskId, this.parts.names, { content: false });
    fold.addPage(page);
    return { fold: foldOf(fold) };
  }

  /** Read whole, a short task needs the view no more: not for its content either. */
  async #short(taskId: string, snapshot: Task, isLast: boolean, wanted: Wanted): Promise<Found> {
    const fold = await this.#fromStart(taskId, wanted);
    const isBehind = (fold?.task.revision ?? -1) < snapshot.revision && fold?.task.unreadable === undefined;
    if (isBehind && !this.#gaveUp(isLast)) return 'behind';
    const there = fold?.tail.find(({ event }) => event.revision === snapshot.revision);
    if (there?.event.id !== snapshot.lastEventId) this.distrust(taskId, snapshot);
    return { fold };
  }

  async #fromStart(taskId: string, wanted: Wanted): Promise<Fold | undefined> {
    const folded = await this.#foldFrom(taskId, undefined, wanted);
    return typeof folded === 'string' ? undefined : folded.fold;
  }

  async #foldFrom(taskId: string, base: Task | undefined, wanted: Wanted): Promise<FoldedTail> {
    const { at } = wanted;
    const start = { ...(base && { task: base }), ...(at !== undefined && { at }), content: false };
    const fold = new StreamFold(taskId, this.parts.names, start);
    const verdict = await this.#run(fold, taskId, base, wanted);
    return verdict === 'verified' ? { fold: foldOf(fold) } : verdict;
  }

  /** Reads from the base on, which must be there, and folds what comes after it. */
  async #run(fold: StreamFold, taskId: string, base: Task | undefined, wanted: Wanted): Promise<Verdict> {
    const { visit } = wanted;
    const known = base?.revision ?? -1;
    let verdict: Verdict = base === undefined ? 'verified' : 'behind';
    for await (const page of this.parts.reader.pages(this.parts.names.task(taskId), firstOf(known, wanted))) {
      fold.read(page);
      const last = page.at(-1);
      if (base !== undefined && verdict === 'behind' && last !== undefined && last.revision >= known) {
        const there = page.find(({ revision }) => revision === known);
        if (there?.id !== base.lastEventId) return 'mismatch';
        fold.seed(there, base);
        verdict = 'verified';
      }
      const news = page.filter(({ revision }) => revision > known);
      if (visit !== undefined) news.forEach(visit);
      fold.addPage(news);
      if (fold.ended && visit === undefined) return verdict;
    }
    return verdict;
  }
}

/** Where reading begins: at the last event that is known, or before it, for the position of an earlier one. */
const firstOf = (known: number, { at }: Wanted): number => {
  const earlier = at !== undefined && known - at <= earlierMax ? Math.min(at, known) : known;
  return Math.max(earlier, 0);
};

/** An event that cannot be read ends a fold before its stream ends. */
export const reaches = (fold: Pick<Fold, 'task'> | undefined, known: number): boolean =>
  (fold?.task.revision ?? -1) >= known || fold?.task.unreadable !== undefined;
