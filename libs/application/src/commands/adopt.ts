import { decide, type Caller, type Task, type TaskEvent } from '#domain';
import { taskNotFound } from '../access/rights.js';
import type { CommandIdentity } from '../identity/commands.js';
import type { Desk } from './desk.js';
import type { LinkInput, WriteOptions, Written } from './inputs.js';
import { linkedChild, type LinkStep } from './links.js';
import type { OfferedParent, Parents } from './parents.js';
import { assertRevision, knownOf, type TaskWrite } from './task-write.js';

/** Makes an existing task the child of another: the child's stream decides, the parent's announces. */
export class Adoptions {
  constructor(
    private readonly desk: Desk,
    private readonly links: LinkStep,
    private readonly parents: Parents,
  ) {}

  async adopt(
    caller: Caller,
    parentTaskId: string,
    child: LinkInput,
    options: WriteOptions,
  ): Promise<Written> {
    const scope = this.desk.scope(caller, 'adopt', parentTaskId);
    const identity = this.desk.identify(scope, options.idempotencyKey, child);
    const offered = await this.parents.offered(caller, { ...child, taskId: parentTaskId });
    const isRepeated = await this.#isRepeated(offered.parentTask, child.taskId, identity);
    if (!isRepeated) assertRevision(offered.parentTask, options.ifMatch);
    const outcome = await this.desk.writer.write(this.#assignment(caller, offered, child, identity));
    const linked = linkedChild(outcome.fold.task);
    const announced = linked && (await this.links.announce({ caller, identity }, linked));
    return this.desk.answer(outcome, announced);
  }

  /**
   * The announcement carries the key too: another child under the same key is found on the parent, or beside it. On
   * the child alone it stands where the first attempt ended in between.
   */
  async #isRepeated(parentTask: Task, childTaskId: string, identity: CommandIdentity): Promise<boolean> {
    if (identity.requestHash === undefined) return false;
    if (knownOf(parentTask, identity) !== undefined) return true;
    if (parentTask.end !== undefined && (await this.links.isKnownLate(parentTask, identity))) return true;
    const child = await this.desk.current(childTaskId);
    return child !== undefined && knownOf(child, identity) !== undefined;
  }

  #assignment(
    caller: Caller,
    offered: OfferedParent,
    { taskId, ...terms }: LinkInput,
    identity: CommandIdentity,
  ): TaskWrite {
    const { parentTask } = offered;
    const parent = { ...terms, taskId: parentTask.taskId };
    return {
      taskId,
      caller,
      deed: 'link',
      identity,
      decide: (task, at): readonly TaskEvent[] => {
        assertSameOwner(task, parentTask, taskId);
        return decide({ type: 'AssignParent', at, parent, ...offered }, task);
      },
    };
  }
}

/** A task of another tenant or owner is no possible child: it looks as if it did not exist. */
const assertSameOwner = (child: Task | undefined, parent: Task, childTaskId: string): void => {
  if (child?.tenant !== parent.tenant || child.owner !== parent.owner) throw taskNotFound(childTaskId);
};
