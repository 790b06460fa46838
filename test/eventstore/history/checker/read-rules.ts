import type { Knowledge } from './knowledge.js';
import type {
  EventsOperation,
  ListOperation,
  Operation,
  ReadOperation,
  ReadSaid,
  Rule,
  Violation,
} from './operations.js';
import { shownAs, type Story } from './task-story.js';

const violation = (rule: Rule, operation: Operation, text: string): Violation => ({ rule, operation, text });

interface Seen {
  readonly taskId: string;
  readonly revision: number;
  readonly stale: boolean;
}

/** Not before what had been answered when it was asked for, not after what had been asked for when it was answered. */
const inTime = (
  knowledge: Knowledge,
  operation: Operation,
  { taskId, revision, stale }: Seen,
): Violation[] => {
  const what = `${operation.kind} of ${taskId} showed @${String(revision)}`;
  const possible = knowledge.possible(taskId, operation.end);
  if (revision > possible)
    return [
      violation('read-of-the-future', operation, `${what}, at most @${String(possible)} could be there`),
    ];
  if (stale) return [];
  const acknowledged = knowledge.acknowledged(taskId, operation.begin);
  if (revision < acknowledged)
    return [violation('read-your-writes', operation, `${what} after @${String(acknowledged)} was told`)];
  const shown = knowledge.shown(taskId, operation.begin);
  if (revision < shown)
    return [violation('stale-read', operation, `${what} after @${String(shown)} was shown`)];
  return [];
};

const stateAt = (
  story: Story,
  operation: Operation,
  { revision, state }: { readonly revision: number; readonly state: string },
): Violation[] => {
  const moment = story[revision];
  if (moment !== undefined && shownAs(moment) === state) return [];
  const stood = moment === undefined ? 'nothing' : shownAs(moment);
  return [violation('wrong-state', operation, `showed ${state} @${String(revision)}, the log has ${stood}`)];
};

const ofRead = (knowledge: Knowledge, operation: ReadOperation, said: ReadSaid): Violation[] => {
  const { taskId, asOf } = operation;
  const wrongState = stateAt(knowledge.story(taskId), operation, said);
  if (asOf === undefined) return [...wrongState, ...inTime(knowledge, operation, { taskId, ...said })];
  return asOf === said.revision
    ? wrongState
    : [violation('wrong-revision', operation, `asked as of @${String(asOf)}, got @${String(said.revision)}`)];
};

const ofEvents = (
  knowledge: Knowledge,
  operation: EventsOperation,
  { ids, stale }: { readonly ids: readonly string[]; readonly stale: boolean },
): Violation[] => {
  const { taskId } = operation;
  const story = knowledge.story(taskId);
  const different = ids.findIndex((id, index) => story[index]?.event.id !== id);
  if (different >= 0)
    return [violation('broken-stream', operation, `${taskId}: other events from @${String(different)} on`)];
  return inTime(knowledge, operation, { taskId, revision: ids.length - 1, stale });
};

/** The revision of each task of a context as of a position. */
const cutAt = (knowledge: Knowledge, contextId: string, position: string): ReadonlyMap<string, number> => {
  const cut = new Map<string, number>();
  for (const [taskId, story] of knowledge.stories) {
    if (story[0]?.event.contextId !== contextId) continue;
    const beyond = story.findIndex(({ event }) => event.position > position);
    const revision = (beyond < 0 ? story.length : beyond) - 1;
    if (revision >= 0) cut.set(taskId, revision);
  }
  return cut;
};

type Listed = Extract<ListOperation['answer'], { kind: 'done' }>['said'];

const asOfItsPosition = (knowledge: Knowledge, operation: ListOperation, said: Listed): Violation[] => {
  const expected = cutAt(knowledge, operation.contextId, said.position);
  const found = said.rows.flatMap((row) => [
    ...(expected.get(row.taskId) === row.revision
      ? []
      : [`${row.taskId} @${String(row.revision)} for @${String(expected.get(row.taskId) ?? 'none')}`]),
    ...stateAt(knowledge.story(row.taskId), operation, row).map(({ text }) => text),
  ]);
  const listed = new Set(said.rows.map(({ taskId }) => taskId));
  const missing = [...expected.keys()].filter((taskId) => !listed.has(taskId));
  const texts = [...found, ...missing.map((taskId) => `${taskId} is missing`)];
  return texts.map((text) =>
    violation('list-not-as-of-its-position', operation, `as of ${said.position}: ${text}`),
  );
};

/** A list that is not marked shows what was waited for, and what its own instance had acknowledged. */
const farEnough = (knowledge: Knowledge, operation: ListOperation, said: Listed): Violation[] => {
  if (said.stale) return [];
  const own = knowledge.appendedBy(operation.instance, operation.begin) ?? '';
  const wanted = operation.waitFor !== undefined && operation.waitFor > own ? operation.waitFor : own;
  return said.position >= wanted
    ? []
    : [violation('list-behind', operation, `as of ${said.position}, ${wanted} was to be seen`)];
};

const ofOperation = (knowledge: Knowledge, operation: Operation): Violation[] => {
  if (operation.kind === 'write' || operation.answer.kind !== 'done') return [];
  switch (operation.kind) {
    case 'read':
      return ofRead(knowledge, operation, operation.answer.said);
    case 'events':
      return ofEvents(knowledge, operation, operation.answer.said);
    case 'list':
      return [
        ...asOfItsPosition(knowledge, operation, operation.answer.said),
        ...farEnough(knowledge, operation, operation.answer.said),
      ];
  }
};

/** Every read shows one moment of the log, no older than promised and none that was still to come. */
export const readRules = (knowledge: Knowledge): Violation[] =>
  knowledge.history.operations.flatMap((operation) => ofOperation(knowledge, operation));
