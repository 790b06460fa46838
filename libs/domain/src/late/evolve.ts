import { addChild, childFact, hasChild } from '../task/children.js';
import type { ChildLink, Recorded } from '../task/events.js';
import { later } from '../time.js';
import type { LateEvent } from './events.js';
import type { LateLog } from './log.js';

export type RecordedLateEvent = Recorded<LateEvent>;

const empty: LateLog = {
  revision: -1,
  lastEventId: '',
  updatedAt: '',
  refusedIds: [],
  children: [],
  childCount: 0,
  notedCancellationIds: [],
};

const withChild = (log: LateLog, child: ChildLink): LateLog => {
  const { taskId } = child;
  if (hasChild(log, taskId)) return log;
  const children = addChild(log.children, taskId, childFact(child, log.revision));
  return { ...log, children, childCount: log.childCount + 1 };
};

/** Moves the fold of a late stream on by one event; total, as the fold of a task is. */
export const evolveLate = (log: LateLog | undefined, event: RecordedLateEvent): LateLog => {
  const before = log ?? empty;
  if (event.revision <= before.revision) return before;
  const { revision, id } = event;
  const moved = { ...before, revision, lastEventId: id, updatedAt: later(before.updatedAt, event.data.at) };
  switch (event.type) {
    case 'LateUpdateRefused':
      return { ...moved, refusedIds: [...moved.refusedIds, id] };
    case 'LateChildLinked':
      return withChild(moved, event.data.child);
    case 'DescendantsCancellationNoted':
      return { ...moved, notedCancellationIds: [...moved.notedCancellationIds, event.data.cancellationId] };
  }
};
