import type { LateLog } from '../late/log.js';
import type { ChildLink } from '../task/events.js';
import { factOn } from '../task/shelves.js';
import type { Task } from '../task/state.js';
import { answerToEnd } from './begin.js';

/** A task above a late link, and what stands beside it. */
export interface Ancestor {
  readonly task: Task;
  readonly late: Pick<LateLog, 'notedCancellationIds'> | undefined;
}

/**
 * A cancellation that may have passed the parent of a late link, and so may have a line for the child.
 * `path`: task ids from its root to the child; the sweep along it says whether it really comes here.
 */
export type LateCandidate = { readonly rootTaskId: string; readonly path: readonly string[] } & (
  | { readonly kind: 'request' | 'descendants'; readonly cancellationId: string }
  | {
      readonly kind: 'parentEnd';
      /** Of the root's end, which the ledger answers; the id of the cancellation derives from it. */
      readonly endEventId: string;
      /** The child is to end with its parent: it may be the first for which the cancellation is opened. */
      readonly mayOpen: boolean;
    }
);

const hasPassed = ({ end, unreadable }: Task): boolean => end !== undefined || unreadable !== undefined;

const wasStopped = ({ state, end }: Task): boolean =>
  state === 'stopped' && end?.cancellationId !== undefined;

/**
 * The next task above from which a cancellation may have passed this one; undefined where nothing can have. An
 * ancestor that is open itself may still be the root of a cancellation of its descendants only.
 */
export const ancestorToAsk = (task: Task): string | undefined => {
  const { parent } = task;
  if (parent === undefined || !hasPassed(task)) return undefined;
  return parent.policy !== 'abandon' || wasStopped(task) ? parent.taskId : undefined;
};

/** Ids of the cascading requests that began at this task, and that it did not decline. */
const requestsAt = ({ requests, end }: Task): readonly string[] => {
  const ids = new Set<string>();
  for (const { facts } of requests)
    for (const id of Object.keys(facts)) {
      const asked = factOn(requests, id);
      if (asked?.root === true && asked.cascade && asked.declined === undefined) ids.add(id);
    }
  if (end?.root === true && end.request?.cascade === true && end.cancellationId !== undefined) {
    if (factOn(requests, end.cancellationId) === undefined) ids.add(end.cancellationId);
  }
  return [...ids];
};

const declines = ({ requests }: Task, cancellationId: string): boolean =>
  factOn(requests, cancellationId)?.declined !== undefined;

/** Of the descendants only, noted beside an ancestor: a later link of its own is none of theirs. */
const notedAt = ({ late }: Ancestor, isParent: boolean): readonly string[] =>
  isParent ? [] : (late?.notedCancellationIds ?? []);

/** The root of the cancellation that answers the parent's end: the task itself, or the one whose end stopped it. */
const answering = (chain: readonly Ancestor[]): number => {
  const [parent] = chain;
  const answer = parent && answerToEnd(parent.task);
  if (answer === undefined) return -1;
  if (answer === 'own') return 0;
  return chain.findIndex(({ task }) => task.end?.cancellationId !== answer.cancellationId);
};

const pathFrom = (chain: readonly Ancestor[], index: number, childTaskId: string): readonly string[] => [
  ...chain
    .slice(0, index + 1)
    .map(({ task }) => task.taskId)
    .reverse(),
  childTaskId,
];

/** Those that began at one ancestor, and that nobody on the way down declined. */
const begunAt = (
  chain: readonly Ancestor[],
  index: number,
  childTaskId: string,
): readonly LateCandidate[] => {
  const ancestor = chain[index];
  if (ancestor === undefined) return [];
  const { task } = ancestor;
  const below = chain.slice(0, index);
  const candidate =
    (kind: 'request' | 'descendants') =>
    (cancellationId: string): LateCandidate[] =>
      below.some((passed) => declines(passed.task, cancellationId))
        ? []
        : [
            {
              kind,
              cancellationId,
              rootTaskId: task.taskId,
              path: pathFrom(chain, index, childTaskId),
            },
          ];
  return [
    ...(hasPassed(task) ? requestsAt(task).flatMap(candidate('request')) : []),
    ...notedAt(ancestor, index === 0).flatMap(candidate('descendants')),
  ];
};

/** Nothing that was asked for passes a link that is `abandon`. */
const reaching = (chain: readonly Ancestor[]): readonly Ancestor[] => {
  const shield = chain.findIndex(({ task }) => task.parent?.policy === 'abandon');
  return shield < 0 ? chain : chain.slice(0, shield + 1);
};

const answered = (
  chain: readonly Ancestor[],
  { taskId, onEnd }: Pick<ChildLink, 'taskId' | 'onEnd'>,
): readonly LateCandidate[] => {
  const index = answering(chain);
  const root = chain[index]?.task;
  if (root?.end === undefined) return [];
  const { eventId } = root.end;
  return [
    {
      kind: 'parentEnd',
      rootTaskId: root.taskId,
      path: pathFrom(chain, index, taskId),
      endEventId: eventId,
      mayOpen: onEnd === 'cascade',
    },
  ];
};

/**
 * The cancellations whose certificates a late link may belong to: everything that has passed its parent from above,
 * whatever its link says, for an abandoned child has its line too; and what answers its parent's end.
 * @param chain the ended parent, its parent, …, as far as {@link ancestorToAsk} leads
 * @param child the link as it stands beside the parent
 */
export const lateCandidates = (
  chain: readonly Ancestor[],
  child: Pick<ChildLink, 'taskId' | 'onEnd'>,
): readonly LateCandidate[] => {
  const passed = reaching(chain);
  return [
    ...passed.flatMap((_ancestor, index) => begunAt(passed, index, child.taskId)),
    ...answered(chain, child),
  ];
};
