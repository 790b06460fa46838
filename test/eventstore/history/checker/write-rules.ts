import type { Knowledge } from './knowledge.js';
import type { LoggedEvent, Rule, Violation, WriteOperation, WriteSaid } from './operations.js';
import { shownAs, type Moment } from './task-story.js';

type Acknowledged = WriteOperation & { readonly answer: { readonly kind: 'done'; readonly said: WriteSaid } };

const isAcknowledged = (operation: WriteOperation): operation is Acknowledged =>
  operation.answer.kind === 'done';

const violation = (rule: Rule, operation: WriteOperation, text: string): Violation => ({
  rule,
  operation,
  text: `${operation.deed} ${operation.mark}: ${text}`,
});

/** What was told is what stands in the log, where it was told to stand. */
const asTold = (operation: Acknowledged, last: LoggedEvent, moment: Moment | undefined): Violation[] => {
  const { taskId, revision, state, position, cancellationId } = operation.answer.said;
  const found: Violation[] = [];
  if (last.taskId !== taskId || last.revision !== revision)
    found.push(
      violation(
        'wrong-revision',
        operation,
        `told ${taskId} @${String(revision)}, stands at ${last.taskId} @${String(last.revision)}`,
      ),
    );
  else if (moment !== undefined && shownAs(moment) !== state)
    found.push(violation('wrong-state', operation, `told ${state}, the log says ${shownAs(moment)}`));
  if (position !== undefined && !isPositionOf(operation, position, last))
    found.push(violation('wrong-position', operation, `told ${position}, stands at ${last.position}`));
  if (operation.deed === 'cancel' && cancellationId !== last.cancellationId)
    found.push(violation('wrong-cancellation', operation, `told ${cancellationId}`));
  return found;
};

/** A child's birth is followed by its parent's link, a cancellation by its certificate: these tell the later one. */
const isPositionOf = (
  { deed, parentTaskId }: WriteOperation,
  position: string,
  last: LoggedEvent,
): boolean =>
  deed === 'cancel' || parentTaskId !== undefined ? position >= last.position : position === last.position;

/** Whoever asked later, after the answer, stands later in the log. */
const inRealTime = (knowledge: Knowledge, operation: Acknowledged, first: LoggedEvent): Violation[] => {
  const asked = knowledge.firstAsked(operation.mark);
  const known = knowledge.acknowledged(first.taskId, asked);
  if (first.revision > known) return [];
  return [
    violation(
      'real-time-order',
      operation,
      `@${String(first.revision)}, though @${String(known)} had been told before it was asked for`,
    ),
  ];
};

const underItsCondition = (operation: Acknowledged, first: LoggedEvent): Violation[] => {
  const { ifMatch } = operation;
  if (ifMatch === undefined || first.revision === ifMatch + 1) return [];
  return [
    violation(
      'wrong-revision',
      operation,
      `asked at @${String(ifMatch)}, stands at @${String(first.revision)}`,
    ),
  ];
};

/** Whether nothing had to be appended at this moment. */
const isThereAlready = ({ deed, to, bare }: WriteOperation, { state, openCancellation }: Moment): boolean => {
  if (deed === 'cancel') return state === 'canceled' || openCancellation !== undefined;
  return bare === true && state === to;
};

/** Nothing was appended and nothing had to be: the state was the one asked for, at a moment of the call. */
const asNoOp = (knowledge: Knowledge, operation: Acknowledged): Violation[] => {
  const { taskId, revision, state, cancellationId } = operation.answer.said;
  const moment = knowledge.story(taskId)[revision];
  if (moment === undefined || !isThereAlready(operation, moment))
    return [violation('lost-update', operation, `told ${taskId} @${String(revision)}, not in the log`)];
  const found: Violation[] = [];
  if (shownAs(moment) !== state)
    found.push(violation('wrong-state', operation, `told ${state}, the log says ${shownAs(moment)}`));
  const { from, to } = knowledge.window(taskId, operation);
  if (revision < from || revision > to)
    found.push(
      violation(
        'stale-decision',
        operation,
        `decided at @${String(revision)}, the task stood from @${String(from)} to @${String(to)}`,
      ),
    );
  const standing = moment.event.cancellationId ?? moment.openCancellation;
  if (operation.deed === 'cancel' && cancellationId !== standing)
    found.push(violation('wrong-cancellation', operation, `told ${cancellationId}`));
  return found;
};

/** A bare write that changed nothing may be asked for again under its key, and then change something. */
const isOfLater = (operation: Acknowledged, first: LoggedEvent): boolean =>
  (operation.bare === true || operation.deed === 'cancel') && operation.answer.said.revision < first.revision;

const ofAcknowledged = (knowledge: Knowledge, operation: Acknowledged): Violation[] => {
  const events = knowledge.eventsOf(operation.mark);
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined || isOfLater(operation, first))
    return asNoOp(knowledge, operation);
  return [
    ...asTold(operation, last, knowledge.story(last.taskId)[last.revision]),
    ...inRealTime(knowledge, operation, first),
    ...underItsCondition(operation, first),
  ];
};

/** A child that was told of is linked, on the parent's stream or late. */
const ofChild = (knowledge: Knowledge, operation: Acknowledged): Violation[] => {
  const { parentTaskId } = operation;
  if (parentTaskId === undefined) return [];
  const { taskId } = operation.answer.said;
  const isLinked = knowledge.history.log.some(
    (event) => event.childTaskId === taskId && event.taskId === parentTaskId,
  );
  return isLinked
    ? []
    : [violation('child-not-linked-once', operation, `${parentTaskId} never heard of ${taskId}`)];
};

/** Every acknowledged write is in the log, once, where it was told to be. */
export const writeRules = (knowledge: Knowledge): Violation[] =>
  knowledge.history.operations.flatMap((operation) =>
    operation.kind === 'write' && isAcknowledged(operation)
      ? [...ofAcknowledged(knowledge, operation), ...ofChild(knowledge, operation)]
      : [],
  );
