import type { Knowledge } from './knowledge.js';
import type { LoggedEvent, Violation } from './operations.js';
import { isEnd, mayBecome, type Moment, type Story } from './task-story.js';

const at = ({ taskId, revision, type }: LoggedEvent): string => `${taskId} @${String(revision)} ${type}`;

/** Revisions without a gap, positions that rise, a birth that comes first and once. */
const brokenStreams = (story: Story): Violation[] =>
  story.flatMap(({ event }, index) => {
    const before = story[index - 1]?.event;
    const isWhole =
      event.revision === index &&
      (event.type === 'TaskSubmitted') === (index === 0) &&
      (before === undefined || before.position < event.position);
    return isWhole ? [] : [{ rule: 'broken-stream', text: `${at(event)} at place ${String(index)}` }];
  });

const movedAfterTheEnd = (story: Story): Violation[] =>
  story.flatMap(({ event }, index) =>
    story[index - 1]?.isOver === true ? [{ rule: 'terminal-task-moved', text: at(event) }] : [],
  );

const namesOfMoves: Readonly<Record<string, readonly string[]>> = {
  TaskStarted: ['submitted'],
  TaskResumed: ['input-required', 'auth-required'],
};

const isLegal = ({ event, state }: Moment, before: Moment): boolean => {
  const from = namesOfMoves[event.type];
  if (from !== undefined) return from.includes(before.state);
  if (event.type === 'CancellationRequested') return before.openCancellation === undefined;
  if (state === before.state || state === 'canceled' || isEnd(before.state)) return true;
  return mayBecome(state, before);
};

/** What was written was decided on the state that stood before it, or it would not be allowed there. */
const illegalTransitions = (story: Story): Violation[] =>
  story.flatMap((moment, index) => {
    const before = story[index - 1];
    if (before === undefined || isLegal(moment, before)) return [];
    return [{ rule: 'illegal-transition', text: `${at(moment.event)} from ${before.state}` }];
  });

/** One write is one append: one task, neighbours, no type twice. */
const isOneAppend = (events: readonly LoggedEvent[]): boolean =>
  new Set(events.map(({ taskId }) => taskId)).size === 1 &&
  new Set(events.map(({ type }) => type)).size === events.length &&
  events.every(({ revision }, index) => revision === (events[0]?.revision ?? 0) + index);

const doubledUpdates = ({ marked }: Knowledge): Violation[] =>
  [...marked.values()].flatMap((events) =>
    isOneAppend(events) ? [] : [{ rule: 'doubled-update', text: events.map(at).join(', ') }],
  );

const doubledIds = (log: readonly LoggedEvent[]): Violation[] => {
  const seen = new Set<string>();
  return log.flatMap((event) => {
    const isNew = !seen.has(event.id);
    seen.add(event.id);
    return isNew ? [] : [{ rule: 'doubled-update', text: `the id of ${at(event)} stands twice` }];
  });
};

const inventedUpdates = ({ attempts, history }: Knowledge): Violation[] =>
  history.log.flatMap((event) =>
    event.mark === undefined || attempts.has(event.mark)
      ? []
      : [{ rule: 'invented-update', text: `nobody asked for ${at(event)}` }],
  );

/** A parent hears of each child once: on its own stream, or late. */
const doubledLinks = (log: readonly LoggedEvent[]): Violation[] => {
  const links = new Map<string, string[]>();
  for (const { taskId, childTaskId, type } of log) {
    if (childTaskId === undefined) continue;
    links.set(childTaskId, [...(links.get(childTaskId) ?? []), `${type} on ${taskId}`]);
  }
  return [...links].flatMap(([child, found]) =>
    found.length === 1 ? [] : [{ rule: 'child-not-linked-once', text: `${child}: ${found.join(', ')}` }],
  );
};

/** What the log must be, whatever was answered. */
export const logRules = (knowledge: Knowledge): Violation[] => [
  ...[...knowledge.stories.values()].flatMap((story) => [
    ...brokenStreams(story),
    ...movedAfterTheEnd(story),
    ...illegalTransitions(story),
  ]),
  ...doubledUpdates(knowledge),
  ...doubledIds(knowledge.history.log),
  ...inventedUpdates(knowledge),
  ...doubledLinks(knowledge.history.log),
];
