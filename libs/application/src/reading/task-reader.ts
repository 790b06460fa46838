import {
  artifactOf,
  emptyDocument,
  invalid,
  resultAmong,
  resultArtifactId,
  resultOf,
  rowOf,
  type Caller,
  type Json,
  type JsonObject,
  type LedgerRow,
  type RecordedTaskEvent,
  type Task,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { maySee, permitted, taskNotFound } from '../access/rights.js';
import type {
  EventPage,
  LateUpdate,
  RowView,
  TaskReader,
  TaskView,
  TimelineEntry,
  WhyStep,
} from '../application.js';
import { decodeRecorded, parseJsonText } from '../codec/decode.js';
import type { Written } from '../commands/inputs.js';
import type { HotFolds } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { Positions } from '../positions.js';
import { asDomainError, isStoreAway, translated, unavailable } from '../store/failures.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { Documents } from './documents.js';
import { frameOf } from './frames.js';
import type { Timelines } from './timelines.js';
import type { Causes } from './why.js';

/** History entries of an answer that does not say how many. */
export const messagesDefault = 100;

export interface ReaderParts {
  readonly loader: TaskLoader;
  readonly hot: HotFolds;
  readonly reader: StreamReader;
  readonly documents: Documents;
  readonly timelines: Timelines;
  readonly causes: Causes;
  readonly names: StreamNames;
  readonly positions: Positions;
  readonly soleWriter: boolean;
}

type Until = { readonly revision: number } | { readonly at: string };

/** Everything that reads one task from its own stream: always current, and scoped to the caller. */
export class StreamTaskReader implements TaskReader {
  constructor(private readonly parts: ReaderParts) {}

  async read(caller: Caller, taskId: string, options: { messages?: number } = {}): Promise<TaskView> {
    return translated(async () => {
      const view = await this.parts.documents.read(taskId, options.messages ?? messagesDefault);
      // While the log is away nobody learns from a snapshot which tasks of others there are.
      if (view?.stale === true && !maySee(caller, view.task)) throw unavailable('the log cannot be asked');
      permitted(caller, 'read', taskId, view?.task);
      if (view === undefined) throw taskNotFound(taskId);
      return view;
    });
  }

  async row(caller: Caller, taskId: string): Promise<RowView> {
    try {
      const task = permitted(caller, 'read', taskId, await this.#current(taskId));
      return { row: rowOf(task, await this.#result(task)) };
    } catch (error) {
      if (!isStoreAway(error)) throw asDomainError(error);
      const { task, document, stale } = await this.read(caller, taskId, { messages: 0 });
      return { row: rowOf(task, resultAmong(taskId, document.artifacts)), ...(stale && { stale }) };
    }
  }

  async rowOf({ task }: Written): Promise<LedgerRow> {
    return translated(async () => rowOf(task, await this.#result(task)));
  }

  async replay(caller: Caller, taskId: string, until?: Until): Promise<TaskView & { readonly at: string }> {
    return translated(async () => {
      await this.#permit(caller, taskId);
      const { task, document = emptyDocument } = await this.parts.loader.replay(taskId, untilOf(until));
      if (task === undefined) throw invalid('at', 'the task did not exist then');
      assertReached(task, until);
      return { task, document, at: task.updatedAt };
    });
  }

  async events(
    caller: Caller,
    taskId: string,
    page: { from?: number; limit: number; direction: 'forwards' | 'backwards' },
  ): Promise<EventPage> {
    return translated(async () => {
      const { revision } = await this.#permit(caller, taskId);
      const {
        limit,
        direction,
        from = direction === 'forwards' ? 0 : await this.#last(taskId, revision),
      } = page;
      // One more than asked for says whether there is another page.
      const found = await this.parts.reader.page(this.parts.names.task(taskId), from, limit + 1, direction);
      const events = found.slice(0, limit).map((recorded) => this.#frame(recorded));
      const next = found[limit]?.revision;
      return { events, ...(next !== undefined && { next }) };
    });
  }

  async late(caller: Caller, taskId: string): Promise<readonly LateUpdate[]> {
    return translated(async () => {
      await this.#permit(caller, taskId);
      const recorded = await this.parts.reader.all(this.parts.names.late(taskId));
      return recorded.flatMap((event) => this.#lateUpdate(event) ?? []);
    });
  }

  async timeline(
    caller: Caller,
    taskId: string,
    page: { after?: number; afterMessage?: string; limit: number },
  ): Promise<{ readonly entries: readonly TimelineEntry[]; readonly next?: number }> {
    return translated(async () => {
      await this.#permit(caller, taskId);
      return this.parts.timelines.of(taskId, page);
    });
  }

  async why(caller: Caller, taskId: string): Promise<readonly WhyStep[]> {
    return translated(async () =>
      this.parts.causes.of(permitted(caller, 'read', taskId, await this.#current(taskId))),
    );
  }

  async #permit(caller: Caller, taskId: string): Promise<Task> {
    return permitted(caller, 'read', taskId, (await this.parts.loader.current(taskId))?.task);
  }

  /** As current as the log. */
  async #current(taskId: string): Promise<Task | undefined> {
    const { loader, soleWriter } = this.parts;
    return (await (soleWriter ? loader.current(taskId) : loader.fromStore(taskId)))?.task;
  }

  /** In the one event that holds it whole: among those of a hot fold, or read. */
  async #result(task: Task): Promise<Json | undefined> {
    if (!task.hasResult) return undefined;
    const { taskId } = task;
    const revision = artifactOf(task, resultArtifactId(taskId))?.firstRevision;
    if (revision === undefined) return undefined;
    const kept = this.parts.hot.get(taskId)?.tail.find(({ event }) => event.revision === revision);
    const event = kept?.event ?? (await this.#event(taskId, revision));
    return event?.type === 'ArtifactRecorded' ? resultOf(event.data.content.body.artifact) : undefined;
  }

  async #event(taskId: string, revision: number): Promise<RecordedTaskEvent | undefined> {
    const [recorded] = await this.parts.reader.page(this.parts.names.task(taskId), revision, 1);
    const decoded = recorded && decodeRecorded(recorded, this.parts.names);
    return decoded?.kind === 'task' ? decoded.event : undefined;
  }

  /** A flagged task's fold ends before its stream does. */
  async #last(taskId: string, folded: number): Promise<number> {
    const [last] = await this.parts.reader.newest(this.parts.names.task(taskId));
    return last?.revision ?? folded;
  }

  #frame(recorded: RecordedEvent) {
    return frameOf(recorded, this.parts.names, this.parts.positions);
  }

  #lateUpdate(recorded: RecordedEvent): LateUpdate | undefined {
    const decoded = decodeRecorded(recorded, this.parts.names);
    if (decoded.kind !== 'late' || decoded.event.type !== 'LateUpdateRefused') return undefined;
    const metadata = parseJsonText(recorded.metadata, 'metadata');
    return {
      ...decoded.event.data,
      position: this.parts.positions.toEdge(recorded.position),
      metadata: metadata.ok ? (metadata.value as JsonObject) : {},
    };
  }
}

/** `at` of a stored event, without judging the rest of it: one that cannot be read ends the fold by itself. */
const atOf = ({ data }: RecordedEvent): string | undefined => {
  const parsed = parseJsonText(data, 'data');
  const at =
    parsed.ok && typeof parsed.value === 'object' ? (parsed.value as { at?: unknown } | null)?.at : undefined;
  return typeof at === 'string' ? at : undefined;
};

const untilOf = (until: Until | undefined): ((recorded: RecordedEvent) => boolean) => {
  if (until === undefined) return () => true;
  if ('revision' in until) return ({ revision }) => revision <= until.revision;
  return (recorded) => (atOf(recorded) ?? '') <= until.at;
};

const assertReached = (task: Task, until: Until | undefined): void => {
  if (until === undefined || !('revision' in until) || task.revision >= until.revision) return;
  if (task.unreadable !== undefined) return;
  throw invalid('revision', `the task stands at revision ${String(task.revision)}`);
};
