import { a2aStateOf, type Caller, DomainError, type Task } from '#domain';
import { scopeOf } from './lists/list-filter.js';
import type { TreeNode } from './reading.js';
import type { ChildNode, Scope, ViewDatabase } from './store/index.js';

/**
 * Nodes of one answer, and levels below its root. A longer chain is read in pieces, each from the node that says
 * `more`: JSON that nests a few thousand levels deep can be neither written nor read on an ordinary stack.
 */
export const treeNodesMax = 10_000;
export const treeDepthMax = 1_000;

type Growing = { -readonly [Key in keyof TreeNode]: TreeNode[Key] } & { readonly children: Growing[] };

const isVisible = ({ tenant, owner }: Task, scope: Scope): boolean =>
  tenant === scope.tenant && (scope.owner === undefined || owner === scope.owner);

const nodeOf = (task: Task): Growing => ({
  taskId: task.taskId,
  state: a2aStateOf(task.state, task.stoppedBy),
  children: [],
});

/** A tree while it grows, level by level: no recursion, however deep it is. */
class GrowingTree {
  readonly root: Growing;
  #level: Growing[];
  #room: number;
  readonly #seen: Set<string>;

  constructor(
    private readonly view: ViewDatabase,
    private readonly scope: Scope,
    root: Task,
    limit: number,
  ) {
    this.root = nodeOf(root);
    this.#level = [this.root];
    this.#room = limit - 1;
    this.#seen = new Set([root.taskId]);
  }

  async grow(depth: number): Promise<void> {
    for (let level = 0; this.#level.length > 0; level += 1) {
      const below: Growing[] = [];
      for (const parent of this.#level) below.push(...(await this.#growNode(parent, level < depth)));
      this.#level = below;
    }
  }

  /** The children that were added; beyond depth or limit the node says that there are more. */
  async #growNode(parent: Growing, isOpen: boolean): Promise<readonly Growing[]> {
    const room = isOpen ? this.#room : 0;
    const found = await this.view.children(parent.taskId, room + 1);
    const added = found.slice(0, room).flatMap((child) => this.#nodeOf(child) ?? []);
    if (found.length > room) parent.more = true;
    parent.children.push(...added);
    this.#room -= added.length;
    return added;
  }

  #nodeOf({ task, policy, onEnd, late }: ChildNode): Growing | undefined {
    if (task === undefined || !isVisible(task, this.scope) || this.#seen.has(task.taskId)) return undefined;
    this.#seen.add(task.taskId);
    return { ...nodeOf(task), policy, onEnd, ...(late && { late }) };
  }
}

/**
 * A task and what is linked below it, late links included.
 * @param options `depth`: levels below the root; `limit`: most nodes, the root included
 * @throws DomainError `task-not-found`
 */
export const treeOf = async (
  view: ViewDatabase,
  caller: Caller,
  taskId: string,
  options: { readonly depth: number; readonly limit: number },
): Promise<TreeNode> => {
  const scope = scopeOf(caller);
  const root = await view.loadTask(taskId);
  if (root === undefined || !isVisible(root, scope))
    throw new DomainError('task-not-found', `no task ${taskId}`, { taskId });
  const tree = new GrowingTree(view, scope, root, Math.min(options.limit, treeNodesMax));
  await tree.grow(Math.min(options.depth, treeDepthMax));
  return tree.root;
};
