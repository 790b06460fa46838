import type { LinkPolicy } from '../task/events.js';
import type { Task } from '../task/state.js';

/** What a dry run foretells of a task; `unreachable`: it cannot be read, and takes no cancel. */
export const plannedOutcomes = [
  'cancel',
  'ask',
  'afterParent',
  'alreadyTerminal',
  'abandon',
  'unreachable',
] as const;
export type Planned = (typeof plannedOutcomes)[number];

/** Only a task at work is asked, or one that is asked already; any other has nobody to ask. */
const isAsked = ({ state, openCancellation }: Task): boolean =>
  state === 'working' || openCancellation !== undefined;

/**
 * What a cancellation that begins now would do to a task.
 * @param carried the policy of its link; of the root `cooperative` where it would be asked, else `cascade`
 * @param afterParent an asked task stands above: nothing happens here before that one has ended
 */
export const planOf = (carried: LinkPolicy, task: Task, afterParent: boolean): Planned => {
  if (carried === 'abandon') return 'abandon';
  if (task.end !== undefined) return 'alreadyTerminal';
  if (task.unreadable !== undefined) return 'unreachable';
  if (afterParent) return 'afterParent';
  return carried === 'cooperative' && isAsked(task) ? 'ask' : 'cancel';
};

/** How the dry run goes on below; undefined where the task shields what is below it. */
export const planBelow = (
  planned: Planned,
  afterParent: boolean,
): { readonly afterParent: boolean } | undefined =>
  planned === 'abandon' ? undefined : { afterParent: afterParent || planned === 'ask' };
