import {
  carriedBy,
  DomainError,
  linksBelow,
  plannedOutcomes,
  planBelow,
  planOf,
  type Caller,
  type CancelMode,
  type LinkPolicy,
  type Planned,
  type Task,
} from '#domain';
import { permitted } from '../access/rights.js';
import { assertFits, cancelDecision } from '../commands/cancel-decision.js';
import { descendantsRequest } from '../commands/cancel-descendants.js';
import type { Desk } from '../commands/desk.js';
import type { CancelInput, PlanOptions } from '../commands/inputs.js';
import { assertRevision } from '../commands/task-write.js';
import { concurrently } from '../reading/concurrently.js';
import { nodesPage } from '../reading/paging.js';
import type { LateStreams } from '../sides/late-streams.js';
import type { CancellationPlan, PlannedNode } from './cancellation-plan.js';

/** Tasks that are looked at at once. */
const loadsMax = 32;
/** Tasks of one plan; a larger family is refused rather than told in part. */
export const planNodesMax = 100_000;

/** A task that the plan has come to. */
interface Reached {
  readonly taskId: string;
  readonly parentTaskId?: string;
  readonly depth: number;
  readonly policy: LinkPolicy;
  readonly afterParent: boolean;
}

interface Visited {
  readonly node: PlannedNode;
  readonly below: readonly Reached[];
}

/** Foretells what a cancel would do, by the rules that the cascade itself goes by. Writes nothing. */
export class Plans {
  constructor(
    private readonly desk: Desk,
    private readonly late: LateStreams,
    private readonly defaultMode: CancelMode,
  ) {}

  /** @throws DomainError what the cancel itself would be refused with */
  async plan(
    caller: Caller,
    taskId: string,
    { descendantsOnly = false, ...asked }: CancelInput,
    { nodesAfter, ifMatch }: PlanOptions,
  ): Promise<CancellationPlan> {
    const root = permitted(caller, 'cancel', taskId, await this.desk.newest(taskId));
    assertRevision(root, ifMatch);
    assertFits(asked);
    const input = { ...asked, mode: asked.mode ?? this.defaultMode };
    const nodes = descendantsOnly
      ? await this.#descendants(caller, root, input)
      : await this.#cancel(caller, root, input);
    return { counts: countsOf(nodes), ...nodesPage(nodes, ({ taskId: id }) => id, nodesAfter) };
  }

  async #descendants(caller: Caller, root: Task, input: CancelInput): Promise<readonly PlannedNode[]> {
    descendantsRequest(caller, input);
    return this.#walk(await this.#below(root, 0, false));
  }

  async #cancel(caller: Caller, root: Task, input: CancelInput): Promise<readonly PlannedNode[]> {
    const cascades = this.#cascades(caller, root, input);
    const policy = input.mode === 'cooperative' ? 'cooperative' : 'cascade';
    const planned = planOf(policy, root, false);
    const node = { taskId: root.taskId, depth: 0, planned };
    if (!cascades) return [node];
    const afterParent = planBelow(planned, false)?.afterParent ?? false;
    return [node, ...(await this.#walk(await this.#below(root, 0, afterParent), root.taskId))];
  }

  /** Whether anything below would be touched: a canceled task is only told again. */
  #cascades(caller: Caller, root: Task, input: CancelInput): boolean {
    const decided = cancelDecision({ caller, input, ownId: this.desk.ids.uuid() })(root, this.desk.now());
    const [event] = decided;
    if (event?.type === 'TaskCanceled' || event?.type === 'CancellationRequested')
      return event.data.request.cascade;
    return root.openCancellation?.cascade === true;
  }

  /** Level by level, each in the order of its ids; a task is planned where it is reached first. */
  async #walk(first: readonly Reached[], ...known: readonly string[]): Promise<readonly PlannedNode[]> {
    const entered = new Set<string>(known);
    const nodes: PlannedNode[] = [];
    let level = first;
    while (level.length > 0) {
      const fresh = level.filter(({ taskId }) => !entered.has(taskId) && entered.add(taskId));
      if (nodes.length + fresh.length > planNodesMax) throw tooLarge();
      const visited = await concurrently([...fresh].sort(byTaskId), loadsMax, (to) => this.#visit(to));
      nodes.push(...visited.map(({ node }) => node));
      level = visited.flatMap(({ below }) => below);
    }
    return nodes;
  }

  async #visit({ taskId, parentTaskId, depth, policy, afterParent }: Reached): Promise<Visited> {
    const task = await this.desk.newest(taskId);
    const planned = task === undefined ? 'unreachable' : planOf(policy, task, afterParent);
    const place = { taskId, ...(parentTaskId !== undefined && { parentTaskId }), depth, policy };
    const onward = planBelow(planned, afterParent);
    const below =
      task === undefined || onward === undefined ? [] : await this.#below(task, depth, onward.afterParent);
    return { node: { ...place, planned }, below };
  }

  async #below(task: Task, depth: number, afterParent: boolean): Promise<readonly Reached[]> {
    const late = task.end === undefined ? undefined : await this.late.load(task.taskId);
    return linksBelow(task, late).map(({ taskId, parentTaskId, child }) => ({
      taskId,
      parentTaskId,
      depth: depth + 1,
      policy: carriedBy({ kind: 'request' }, child),
      afterParent,
    }));
  }
}

const byTaskId = (one: Reached, other: Reached): number => (one.taskId < other.taskId ? -1 : 1);

const tooLarge = (): DomainError =>
  new DomainError('payload-too-large', `the plan has more than ${planNodesMax} tasks`, {
    limit: planNodesMax,
  });

const countsOf = (nodes: readonly PlannedNode[]): Record<Planned, number> => {
  const counts = Object.fromEntries(plannedOutcomes.map((planned) => [planned, 0])) as Record<
    Planned,
    number
  >;
  for (const { planned } of nodes) counts[planned] += 1;
  return counts;
};
