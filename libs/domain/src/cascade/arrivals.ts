import type { LateLog } from '../late/log.js';
import { factsOf } from '../task/shelves.js';
import type { ChildFact, Task } from '../task/state.js';
import type { Arrival, ArrivalLink, CancellationScope, EventPlace } from './scope.js';
import type { PlaceOf } from './visit.js';

/** A link as it is found on its parent. */
export interface LinkBelow extends ArrivalLink {
  readonly taskId: string;
}

const byRevision = ([, one]: [string, ChildFact], [, other]: [string, ChildFact]): number =>
  one.revision - other.revision;

const linksOn = (parentTaskId: string, children: Task['children'], late: boolean): LinkBelow[] =>
  factsOf(children)
    .sort(byRevision)
    .map(([taskId, child]) => ({ taskId, parentTaskId, child, late }));

/** The children of a task in the order of the log: from its own stream, then the late ones from beside it. */
export const linksBelow = (
  task: Pick<Task, 'taskId' | 'children'>,
  late: Pick<LateLog, 'children'> | undefined,
): readonly LinkBelow[] => [
  ...linksOn(task.taskId, task.children, false),
  ...linksOn(task.taskId, late?.children ?? [], true),
];

/** Links that stand before a place in the log; or the one whose own place must be known to tell. */
export type LinksBefore =
  { readonly before: readonly LinkBelow[] } | { readonly unplaced: Pick<LinkBelow, 'child' | 'late'> };

/**
 * @param links in the order of the log, so that the first one after `place` is found by halving: of ten thousand,
 *   fourteen are placed
 */
export const linksBefore = (
  links: readonly LinkBelow[],
  { position }: Pick<EventPlace, 'position'>,
  placeOf: { readonly own: PlaceOf; readonly late: PlaceOf },
): LinksBefore => {
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const link = links[middle];
    if (link === undefined) break;
    const stands = (link.late ? placeOf.late : placeOf.own)(link.child.revision);
    if (stands === undefined) return { unplaced: link };
    if (stands.position < position) low = middle + 1;
    else high = middle;
  }
  return { before: links.slice(0, low) };
};

/** The root's own arrival. */
export const rootArrival = ({ rootTaskId, begin }: CancellationScope): Arrival => ({
  taskId: rootTaskId,
  depth: 0,
  reach: begin,
  cause: begin,
});

/** The arrivals one level below. */
export const arrivalsBelow = (
  links: readonly LinkBelow[],
  depth: number,
  { reach, cause }: Pick<Arrival, 'reach' | 'cause'>,
): readonly Arrival[] => links.map((link) => ({ taskId: link.taskId, depth: depth + 1, link, reach, cause }));
