import type { Knowledge, Window } from './knowledge.js';
import type { Operation, Refusal, Violation, WriteOperation } from './operations.js';
import { mayBecome, shownAs, type Moment } from './task-story.js';

const says = ({ code, state, from, revision }: Refusal): string =>
  [code, state, from, revision === undefined ? undefined : `@${String(revision)}`].filter(Boolean).join(' ');

const during = (knowledge: Knowledge, taskId: string, { from, to }: Window): readonly Moment[] =>
  knowledge.story(taskId).slice(Math.max(from, 0), to + 1);

/** Whether a refusal is true of the task at one of these moments. */
const isTrueAt = (operation: WriteOperation, refusal: Refusal, moment: Moment): boolean => {
  switch (refusal.code) {
    case 'task-is-terminal':
      return moment.isOver && moment.event.revision === refusal.revision && shownAs(moment) === refusal.state;
    case 'transition-not-allowed':
      return moment.state === refusal.from && !mayBecome(operation.to ?? '', moment);
    case 'cancellation-open':
      return moment.openCancellation !== undefined && moment.openCancellation === refusal.cancellationId;
    case 'revision-mismatch':
      return moment.event.revision === refusal.revision && refusal.revision !== operation.ifMatch;
    default:
      return false;
  }
};

const decided: ReadonlySet<string> = new Set([
  'task-is-terminal',
  'transition-not-allowed',
  'cancellation-open',
  'revision-mismatch',
]);

const unexpected = (operation: Operation, refusal: Refusal): Violation => ({
  rule: 'unexpected-answer',
  operation,
  text: `${operation.kind} was answered ${says(refusal)}`,
});

const ofDecision = (knowledge: Knowledge, operation: WriteOperation, refusal: Refusal): Violation[] => {
  const taskId = refusal.taskId ?? operation.taskId ?? '';
  const window = knowledge.window(taskId, operation);
  if (during(knowledge, taskId, window).some((moment) => isTrueAt(operation, refusal, moment))) return [];
  const text = `${operation.deed} ${operation.mark} on ${taskId}: ${says(refusal)}, true at no moment from @${String(window.from)} to @${String(window.to)}`;
  return [{ rule: 'stale-decision', operation, text }];
};

/** A refused write is not there, unless an earlier attempt of it went without an answer. */
const ofAbsence = (knowledge: Knowledge, operation: WriteOperation): Violation[] => {
  if (knowledge.eventsOf(operation.mark).length === 0) return [];
  const attempts = knowledge.attempts.get(operation.mark) ?? [];
  if (attempts.some(({ answer }) => answer.kind === 'unknown')) return [];
  return [
    { rule: 'refused-yet-written', operation, text: `${operation.deed} ${operation.mark} stands in the log` },
  ];
};

const ofRefusal = (knowledge: Knowledge, operation: Operation): Violation[] => {
  if (operation.answer.kind !== 'refused') return [];
  const { refusal } = operation.answer;
  if (operation.kind !== 'write' || !decided.has(refusal.code)) return [unexpected(operation, refusal)];
  return [...ofDecision(knowledge, operation, refusal), ...ofAbsence(knowledge, operation)];
};

/** Every refusal fits a state of the task between its question and its answer. */
export const refusalRules = (knowledge: Knowledge): Violation[] =>
  knowledge.history.operations.flatMap((operation) => ofRefusal(knowledge, operation));
