import { decodeEvent, type DecodedEvent } from '#application';
import { addChild, isTerminal } from '#domain';
import type { RecordedEvent } from '#event-store';
import {
  type Announcement,
  placesPerTask,
  type RowBatch,
  type StoredFold,
  type TaskRow,
  type ViewDatabase,
} from '../store/index.js';
import { FoldCache } from './fold-cache.js';
import { RowChanges } from './row-changes.js';
import { TouchedTask, withoutRows } from './touched-task.js';

/** Where a view stands before a run of events is folded. */
export interface Stand {
  readonly seen: string;
  /** Milliseconds of the wall clock. */
  readonly now: number;
}

export interface FoldedBatch {
  readonly rows: RowBatch;
  /** To be called when the rows are written: from then on the next run goes on from these folds. */
  readonly keep: () => void;
}

interface Decoded {
  readonly recorded: RecordedEvent;
  readonly decoded: DecodedEvent;
}

/** Folds runs of events, in the order of the log, into the rows that they change. */
export class BatchFolder {
  readonly #cache = new FoldCache();
  #nextTaskKey: number | undefined;

  constructor(
    private readonly database: ViewDatabase,
    private readonly namespace: string,
  ) {}

  /** Forgets what it held: after a batch that was not written. */
  reset(): void {
    this.#cache.clear();
    this.#nextTaskKey = undefined;
  }

  /** @param events newer than `stand.seen`, at least one */
  async fold(events: readonly RecordedEvent[], stand: Stand): Promise<FoldedBatch> {
    const decoded = events.map((recorded) => ({ recorded, decoded: decodeEvent(recorded, this.namespace) }));
    const loaded = await this.#load(decoded);
    const run = new Run(loaded, this.#nextTaskKey ?? (await this.database.nextTaskKey()));
    for (const event of decoded) run.apply(event);
    const last = events.at(-1);
    const changes = run.finish(last?.position ?? stand.seen);
    return {
      rows: {
        ...changes.rows(),
        seen: stand.seen,
        position: last?.position ?? stand.seen,
        eventId: last?.id ?? '',
        handled: events.length,
        closedAt: stand.now,
      },
      keep: () => {
        this.#keep(run, changes);
      },
    };
  }

  /** Folds of the tasks that these events move on, from memory where they are there. */
  async #load(events: readonly Decoded[]): Promise<ReadonlyMap<string, StoredFold>> {
    const folds = new Map<string, StoredFold>();
    const absent = new Set<string>();
    const begun = new Set<string>();
    for (const { decoded, recorded } of events) {
      const taskId = taskIdOf(decoded);
      if (taskId === undefined || folds.has(taskId) || begun.has(taskId)) continue;
      const kept = this.#cache.get(taskId);
      if (kept !== undefined) folds.set(taskId, kept);
      else if (recorded.revision === 0) begun.add(taskId);
      else absent.add(taskId);
    }
    if (absent.size > 0)
      for (const stored of await this.database.loadFolds([...absent])) folds.set(stored.task.taskId, stored);
    const announcements = announcementsOf(events, folds);
    if (announcements.length > 0) await this.#loadLinks(announcements, folds);
    return folds;
  }

  /** Folds go on without their children: those that are announced once more must be known, for that changes nothing. */
  async #loadLinks(announcements: readonly Announcement[], folds: Map<string, StoredFold>): Promise<void> {
    for (const { taskId, childId, fact } of await this.database.announced(announcements)) {
      const stored = folds.get(taskId);
      if (stored === undefined) continue;
      const children = addChild(stored.task.children, childId, fact);
      folds.set(taskId, { ...stored, task: { ...stored.task, children } });
    }
  }

  #keep(run: Run, { inserted, updated }: RowChanges): void {
    this.#nextTaskKey = run.nextTaskKey;
    for (const row of inserted) this.#keepFold(run, row);
    for (const { row } of updated) this.#keepFold(run, row);
  }

  /** The end of a task is its last event: its fold is not asked for again. */
  #keepFold(run: Run, { taskId, fold, heading: headingText }: TaskRow): void {
    const { taskKey, heading, task } = run.touched.get(taskId) ?? {};
    if (taskKey === undefined || heading === undefined || task === undefined) return;
    if (isTerminal(task.state)) this.#cache.delete(taskId);
    else
      this.#cache.set(
        taskId,
        { taskKey, heading, task: withoutRows(task) },
        fold.length + (headingText?.length ?? 0),
      );
  }
}

const taskIdOf = (decoded: DecodedEvent): string | undefined => {
  if (decoded.kind === 'task') return decoded.taskId;
  if (decoded.kind !== 'unreadable' || decoded.subject.kind !== 'task') return undefined;
  return decoded.subject.taskId;
};

/** Children that are announced to tasks which have some already. */
const announcementsOf = (
  events: readonly Decoded[],
  folds: ReadonlyMap<string, StoredFold>,
): readonly Announcement[] => {
  const announcements: Announcement[] = [];
  for (const { decoded } of events) {
    if (decoded.kind !== 'task' || decoded.event.type !== 'ChildLinked') continue;
    const { taskId, event } = decoded;
    if ((folds.get(taskId)?.task.childCount ?? 0) > 0)
      announcements.push({ taskId, childId: event.data.child.taskId });
  }
  return announcements;
};

/** One run of events on its way to rows. */
class Run {
  readonly touched = new Map<string, TouchedTask>();
  readonly #changes = new RowChanges();

  constructor(
    private readonly loaded: ReadonlyMap<string, StoredFold>,
    public nextTaskKey: number,
  ) {}

  apply({ recorded, decoded }: Decoded): void {
    switch (decoded.kind) {
      case 'task': {
        const touched = this.#touch(decoded.taskId);
        const moved = touched.fold(decoded.event, recorded.position);
        if (moved) this.#changes.addFacts(decoded.event, touched, recorded.position);
        return;
      }
      case 'late':
        this.#changes.addLate(decoded.event, recorded.position);
        return;
      case 'unreadable':
        this.#setAside(recorded, decoded);
        return;
      case 'cancellation':
        this.#changes.addCancellation(decoded.cancellationId, decoded.event, recorded.position);
        return;
      case 'log':
        return;
    }
  }

  finish(position: string): RowChanges {
    for (const touched of this.touched.values()) this.#changes.addTask(touched, position);
    return this.#changes;
  }

  #setAside(recorded: RecordedEvent, decoded: Extract<DecodedEvent, { kind: 'unreadable' }>): void {
    const { position, stream, revision, type, id } = recorded;
    this.#changes.setAside.push({ position, stream, revision, type, error: decoded.error });
    if (decoded.subject.kind === 'task')
      this.#touch(decoded.subject.taskId).flag({ ...decoded, id }, position);
  }

  #touch(taskId: string): TouchedTask {
    const known = this.touched.get(taskId);
    if (known !== undefined) return known;
    const stored = this.loaded.get(taskId);
    const touched = new TouchedTask(taskId, stored?.taskKey ?? this.#newKey(), stored);
    this.touched.set(taskId, touched);
    return touched;
  }

  #newKey(): number {
    const key = this.nextTaskKey;
    if (key * placesPerTask > Number.MAX_SAFE_INTEGER) throw new Error('the view is full');
    this.nextTaskKey += 1;
    return key;
  }
}
