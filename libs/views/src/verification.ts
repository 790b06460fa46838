import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeEvent, streamNames } from '#application';
import {
  emptyDocument,
  evolve,
  evolveDocumentAll,
  flagUnreadable,
  type RecordedTaskEvent,
  rowStatusOf,
  type Task,
  type TaskDocument,
} from '#domain';
import { type EventStore, type Position, type RecordedEvent } from '#event-store';
import type { ViewMismatch } from './reading.js';
import type { ServingView } from './keeping/serving-view.js';
import type { StoredTask, ViewDatabase } from './store/index.js';

/** Differences that one answer names. */
export const mismatchesMax = 100;
const streamPageSize = 1_000;
const logPageSize = 1_000;
/** Tasks that are compared before others get their turn. */
const tasksPerTurn = 32;

export interface VerificationParts {
  readonly serving: ServingView;
  readonly store: EventStore;
  readonly namespace: string;
}

export interface Verification {
  readonly checked: number;
  readonly mismatches: readonly ViewMismatch[];
}

interface Refolded {
  readonly task: Task | undefined;
  readonly document: TaskDocument;
  /** Of the last event that the view should hold; -1 when there is none. */
  readonly revision: number;
}

/** Folds every task's stream again and compares it with the view, field by field. Reads only. */
export class Verifier {
  constructor(private readonly parts: VerificationParts) {}

  async verify(): Promise<Verification> {
    const mismatches: ViewMismatch[] = [];
    let checked = 0;
    for await (const taskId of this.#taskIds()) {
      if (mismatches.length >= mismatchesMax) break;
      mismatches.push(...(await this.#compare(taskId)));
      checked += 1;
      if (checked % tasksPerTurn === 0) await nextTurn();
    }
    return { checked, mismatches: mismatches.slice(0, mismatchesMax) };
  }

  /** Every task that the log knows, then those that only the view knows. */
  async *#taskIds(): AsyncGenerator<string, void, undefined> {
    const { serving, namespace } = this.parts;
    const names = streamNames(namespace);
    const end = serving.position;
    let inLog = 0;
    for await (const { revision, stream, position } of this.#log()) {
      if (position > end) break;
      const taskId = revision === 0 ? names.taskIdOf(stream) : undefined;
      if (taskId === undefined) continue;
      inLog += 1;
      yield taskId;
    }
    if ((await serving.complete.counts()).tasks > inLog) yield* this.#strangers();
  }

  async *#log(): AsyncGenerator<RecordedEvent, void, undefined> {
    const { store, namespace } = this.parts;
    let last: Position | undefined;
    for (;;) {
      const options = {
        limit: logPageSize,
        prefix: `${namespace}.`,
        ...(last !== undefined && { from: last }),
      };
      const page = await store.readAll(options);
      const newer = page.filter(({ position }) => last === undefined || position > last);
      yield* newer;
      last = newer.at(-1)?.position;
      if (last === undefined || page.length < logPageSize) return;
      await nextTurn();
    }
  }

  /** Tasks of the view without a stream. */
  async *#strangers(): AsyncGenerator<string, void, undefined> {
    const { serving, store, namespace } = this.parts;
    const names = streamNames(namespace);
    let after = 0;
    for (;;) {
      const tasks = await serving.complete.taskIdsAfter(after, logPageSize);
      for (const { taskId, taskKey } of tasks) {
        after = taskKey;
        const [first] = await store.readStream(names.task(taskId), { limit: 1 });
        if (first === undefined) yield taskId;
      }
      if (tasks.length === 0) return;
    }
  }

  async #compare(taskId: string): Promise<readonly ViewMismatch[]> {
    const { serving } = this.parts;
    const position = serving.position;
    const seen = await readTask(serving.complete, taskId);
    const { task, document, revision: streamRevision } = await this.#refold(taskId, position);
    const viewRevision = seen?.task.revision ?? -1;
    const fields = differences(seen && { ...seen }, task && { task, document });
    return fields.map((field) => ({ taskId, field, viewRevision, streamRevision }));
  }

  /** The task as of the view's position. */
  async #refold(taskId: string, until: Position): Promise<Refolded> {
    const { store, namespace } = this.parts;
    const stream = streamNames(namespace).task(taskId);
    let refolded: Refolded = { task: undefined, document: emptyDocument, revision: -1 };
    for (let from = 0; ; from += streamPageSize) {
      const page = await store.readStream(stream, { from, limit: streamPageSize });
      refolded = foldPage(
        refolded,
        page.filter(({ position }) => position <= until),
        { taskId, namespace },
      );
      if (page.length < streamPageSize) return refolded;
      await nextTurn();
    }
  }
}

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

interface SeenTask extends StoredTask {
  readonly columns: Readonly<Record<string, string | number>>;
}

/** Everything that the view holds of a task, in one moment. */
const readTask = async (view: ViewDatabase, taskId: string): Promise<SeenTask | undefined> => {
  const [task, stored, columns] = await Promise.all([
    view.loadTask(taskId),
    view.loadDocument(taskId, { messages: Number.MAX_SAFE_INTEGER, artifacts: true }),
    view.columnsOf(taskId),
  ]);
  if (task === undefined || stored === undefined || columns === undefined) return undefined;
  const { taskKey: _, ...compared } = columns;
  return { task, document: stored.document, columns: compared };
};

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
  return [
    ...different(comparable(seen.task), comparable(refolded.task)),
    ...different({ ...seen.document }, { ...refolded.document }),
    ...different(columnsOf(refolded.task), seen.columns).map((column) => `columns.${column}`),
  ];
};

/** Which shelf an id lies on depends on how a task was folded: what is compared is which ids there are. */
const comparable = (task: Task): Readonly<Record<string, unknown>> => ({
  ...task,
  childIds: task.childIds.flatMap(({ facts }) => Object.keys(facts)).sort(),
});

/** Compared as JSON with ordered members: that is what both sides are stored as. */
const different = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (field) => ordered(one[field]) !== ordered(other[field]),
  );

const ordered = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
