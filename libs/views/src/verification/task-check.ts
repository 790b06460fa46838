import { decodeEvent, streamNames } from '#application';
import {
  emptyDocument,
  evolve,
  evolveDocumentAll,
  factsOf,
  flagUnreadable,
  type RecordedTaskEvent,
  rowStatusOf,
  type Task,
  type TaskDocument,
} from '#domain';
import type { Position, RecordedEvent } from '#event-store';
import { timersOf } from '../projection/timer-rows.js';
import type { ViewMismatch } from '../reading.js';
import type { StoredTask, ViewDatabase } from '../store/index.js';
import { different } from './differences.js';
import { type LogParts, pagesOfStream } from './log-reading.js';

interface Refolded {
  readonly task: Task | undefined;
  readonly document: TaskDocument;
  /** Of the last event that the view should hold; -1 when there is none. */
  readonly revision: number;
}

/** What stands in rows of their own, beside a task's fold and its content. */
interface SeenTask extends StoredTask {
  readonly columns: Readonly<Record<string, string | number>>;
  readonly timers: Readonly<Record<string, number>>;
  /** Revisions of the task's events with which cancellations began, by their ids. */
  readonly roots: Readonly<Record<string, number>>;
}

/** Compares what a view that stands at `position` holds of a task with the task's stream, field by field. */
export const checkTask = async (
  view: ViewDatabase,
  log: LogParts,
  { taskId, position }: { readonly taskId: string; readonly position: Position },
): Promise<readonly ViewMismatch[]> => {
  const seen = await readTask(view, taskId);
  const { task, document, revision: streamRevision } = await refold(log, taskId, position);
  const viewRevision = seen?.task.revision ?? -1;
  const roots = await rootsInView(view, taskId, task === undefined ? {} : rootsOf(task));
  const fields = differences(seen && { ...seen, roots }, task && { task, document });
  return fields.map((field) => ({ taskId, field, viewRevision, streamRevision }));
};

/** The task as of a position. */
const refold = async (log: LogParts, taskId: string, until: Position): Promise<Refolded> => {
  const { namespace } = log;
  let refolded: Refolded = { task: undefined, document: emptyDocument, revision: -1 };
  for await (const page of pagesOfStream(log, streamNames(namespace).task(taskId), until))
    refolded = foldPage(refolded, page, { taskId, namespace });
  return refolded;
};

const foldPage = (
  before: Refolded,
  page: readonly RecordedEvent[],
  { taskId, namespace }: { taskId: string; namespace: string },
): Refolded => {
  let { task } = before;
  const readable: RecordedTaskEvent[] = [];
  for (const recorded of page) {
    const decoded = decodeEvent(recorded, namespace);
    const isFirst = task === undefined;
    if (decoded.kind !== 'task' || (isFirst && decoded.event.type !== 'TaskSubmitted')) {
      const { metadata } =
        decoded.kind === 'task' ? decoded.event : decoded.kind === 'unreadable' ? decoded : {};
      task = flagUnreadable(task, recorded, { taskId, id: recorded.id, ...(metadata && { metadata }) });
      continue;
    }
    const next = evolve(task, decoded.event);
    if (next !== task) readable.push(decoded.event);
    task = next;
  }
  const document = evolveDocumentAll(before.document, readable);
  return { task, document, revision: page.at(-1)?.revision ?? before.revision };
};

/** Everything that the view holds of a task, in one moment. */
const readTask = async (view: ViewDatabase, taskId: string): Promise<Omit<SeenTask, 'roots'> | undefined> => {
  const [task, stored, columns, timers] = await Promise.all([
    view.loadTask(taskId),
    view.loadDocument(taskId, { messages: Number.MAX_SAFE_INTEGER, artifacts: true }),
    view.columnsOf(taskId),
    view.timersOf(taskId),
  ]);
  if (task === undefined || stored === undefined || columns === undefined) return undefined;
  const { taskKey: _, ...compared } = columns;
  return {
    task,
    document: stored.document,
    columns: compared,
    timers: Object.fromEntries(timers.map(({ kind, dueAt }) => [kind, Date.parse(dueAt)])),
  };
};

const rootsInView = async (
  view: ViewDatabase,
  taskId: string,
  expected: SeenTask['roots'],
): Promise<SeenTask['roots']> => {
  const found: [string, number][] = [];
  for (const cancellationId of Object.keys(expected)) {
    const root = await view.rootOfCancellation(cancellationId);
    if (root?.rootTaskId === taskId) found.push([cancellationId, root.rootRevision]);
  }
  return Object.fromEntries(found);
};

const rootsOf = ({ requests, end }: Task): SeenTask['roots'] => ({
  ...(end?.root === true && end.cancellationId !== undefined && { [end.cancellationId]: end.revision }),
  ...Object.fromEntries(
    factsOf(requests)
      .filter(([, { root }]) => root)
      .map(([id, { revision }]) => [id, revision]),
  ),
});

const timesOf = (task: Task): SeenTask['timers'] =>
  Object.fromEntries(
    Object.entries(timersOf(task)).flatMap(([kind, timer]) => (timer ? [[kind, timer.dueAt]] : [])),
  );

const columnsOf = (task: Task): Record<string, string> => ({
  state: task.state,
  status: rowStatusOf(task.state),
  statusAt: task.statusAt,
  updatedAt: task.updatedAt,
  tenant: task.tenant,
  owner: task.owner,
  contextId: task.contextId,
});

/** Names of the fields that differ. */
const differences = (seen: SeenTask | undefined, refolded: StoredTask | undefined): readonly string[] => {
  if (seen === undefined || refolded === undefined) return seen === refolded ? [] : ['taskId'];
  const { task } = refolded;
  const within = (name: string, fields: readonly string[]): readonly string[] =>
    fields.map((field) => `${name}.${field}`);
  return [
    ...different(comparable(seen.task), comparable(task)),
    ...different({ ...seen.document }, { ...refolded.document }),
    ...within('columns', different(columnsOf(task), seen.columns)),
    ...within('timers', different(timesOf(task), seen.timers)),
    ...within('cancellations', different(rootsOf(task), seen.roots)),
  ];
};

/** On which shelf a fact lies depends on how a task was folded: what is compared is what is known of which id. */
const comparable = (task: Task): Readonly<Record<string, unknown>> => ({
  ...task,
  children: Object.fromEntries(factsOf(task.children)),
  requests: Object.fromEntries(factsOf(task.requests)),
});
