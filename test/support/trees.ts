import type { JsonObject } from '#domain';
import type { Certificate } from './certificates.js';
import type { LedgerApi, StoredEvent } from './ledger-api.js';
import { inParallel } from './waiting.js';

/** A task of a tree that is to be grown. */
export interface Branch {
  readonly name: string;
  /** Terms of the link to the branch above. */
  readonly policy?: 'cascade' | 'cooperative' | 'abandon';
  readonly graceMs?: number;
  readonly onEnd?: 'abandon' | 'cascade';
  /** Where its agent brings it once the whole tree stands. Default: working. */
  readonly state?: 'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed';
  readonly below?: readonly Branch[];
}

type Terms = Omit<Branch, 'name' | 'below'>;

export const branch = (name: string, below: readonly Branch[] = [], terms: Terms = {}): Branch => ({
  name,
  ...terms,
  below,
});

/** `B1`, `B2`, … */
export const leaves = (prefix: string, count: number, terms: Terms = {}): Branch[] =>
  Array.from({ length: count }, (_, index) => branch(`${prefix}${String(index + 1)}`, [], terms));

/** P→{A,B,C,D}; A→A1→A2; B→B1..B20; C has completed, its child C1 works; D is linked with `abandon`. */
export const c26Tree: Branch = branch('P', [
  branch('A', [branch('A1', [branch('A2')])]),
  branch('B', leaves('B', 20)),
  branch('C', [branch('C1')], { state: 'completed' }),
  branch('D', [], { policy: 'abandon' }),
]);

/** Names of {@link c26Tree} that a cancel of P ends. */
export const c26Canceled: readonly string[] = [
  'P',
  'A',
  'A1',
  'A2',
  'B',
  ...Array.from({ length: 20 }, (_, index) => `B${String(index + 1)}`),
  'C1',
];

/** A tree that stands in the ledger. */
export class Tree {
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    readonly spec: Branch,
    private readonly ids: ReadonlyMap<string, string>,
  ) {
    this.#names = new Map([...ids].map(([name, id]) => [id, name]));
  }

  get root(): string {
    return this.id(this.spec.name);
  }

  /** Ids of all its tasks, parents before children. */
  get taskIds(): readonly string[] {
    return [...this.ids.values()];
  }

  get names(): readonly string[] {
    return [...this.ids.keys()];
  }

  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`the tree has no ${name}`);
    return id;
  }

  nameOf(taskId: string): string {
    return this.#names.get(taskId) ?? `not of the tree: ${taskId}`;
  }

  /** Task ids read as names, wherever they stand: two trees of one description tell the same then. */
  named(value: unknown): unknown {
    const text = [...this.#names].reduce(
      (before, [id, name]) => before.replaceAll(id, name),
      JSON.stringify(value),
    );
    return JSON.parse(text) as unknown;
  }
}

/** Children that are made at once. */
const madeInHand = 8;

const termsOf = ({ policy, graceMs, onEnd }: Branch): JsonObject => ({
  ...(policy === undefined ? {} : { policy }),
  ...(graceMs === undefined ? {} : { graceMs }),
  ...(onEnd === undefined ? {} : { onEnd }),
});

/** The root is the user's; the agent delegates what is below, then brings every task where the description has it. */
export const grow = async (user: LedgerApi, agent: LedgerApi, spec: Branch): Promise<Tree> => {
  const ids = new Map([[spec.name, (await user.create()).body.taskId]]);
  const branches = [spec];
  for (let level: readonly Branch[] = [spec]; level.length > 0;) {
    const next = level.flatMap((above) => (above.below ?? []).map((child) => ({ above, child })));
    const made = await inParallel(next.length, madeInHand, async (index) => {
      const { above, child } = next[index] ?? { above: spec, child: spec };
      const parent = { taskId: ids.get(above.name) ?? '', ...termsOf(child) };
      return (await agent.create({ parent })).body.taskId;
    });
    for (const [index, { child }] of next.entries()) ids.set(child.name, made[index] ?? '');
    level = next.map(({ child }) => child);
    branches.push(...level);
  }
  if (ids.size !== branches.length) throw new Error('two branches have one name');
  await inParallel(branches.length, madeInHand, async (index) => {
    const { name, state = 'working' } = branches[index] ?? spec;
    await bring(agent, ids.get(name) ?? '', state);
  });
  return new Tree(spec, ids);
};

const bring = async (agent: LedgerApi, taskId: string, state: string): Promise<void> => {
  if (state === 'submitted') return;
  const states = state === 'working' ? [state] : ['working', state];
  for (const to of states) {
    const { status, text } = await agent.emit(taskId, to, `${to} now`);
    if (status !== 200) throw new Error(`not brought to ${to}: ${text}`);
  }
};

const terminalTypes: ReadonlySet<string> = new Set([
  'TaskCanceled',
  'TaskCompleted',
  'TaskFailed',
  'TaskRejected',
  'TaskStopped',
]);
export const isEnd = ({ type }: Pick<StoredEvent, 'type'>): boolean => terminalTypes.has(type);

/** Terminal events of each task, as its own stream has them; fails where one is not the last of its stream. */
export const endsOf = async (
  api: LedgerApi,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredEvent[]>> => {
  const ends = await inParallel(taskIds.length, madeInHand, async (index) => {
    const { events } = (await api.events(taskIds[index] ?? '')).body;
    const found = events.filter(isEnd);
    if (found.length > 0 && events.at(-1) !== found.at(-1))
      throw new Error(`something stands after the end of ${taskIds[index] ?? ''}`);
    return found;
  });
  return new Map(taskIds.map((taskId, index) => [taskId, ends[index] ?? []]));
};

/** The one end of a task. */
export const endOf = async (api: LedgerApi, taskId: string): Promise<StoredEvent> => {
  const [end, ...more] = (await endsOf(api, [taskId])).get(taskId) ?? [];
  if (end === undefined || more.length > 0)
    throw new Error(`expected one end of ${taskId}, found ${String(more.length + (end ? 1 : 0))}`);
  return end;
};

/** The cancellation that an event names. */
export const cancellationIn = ({ type, data }: StoredEvent): string => {
  const { cancellationId } = data;
  if (typeof cancellationId !== 'string') throw new Error(`${type} names no cancellation`);
  return cancellationId;
};

/** Outcome of each node, by the names of a tree. */
export const outcomesOf = (tree: Tree, { nodes }: Certificate): Record<string, string> =>
  Object.fromEntries(nodes.map(({ taskId, outcome }) => [tree.nameOf(taskId), outcome]));
