import { assertReadable, decide, type Caller, type Task, type TaskEvent } from '#domain';
import { permitted, taskNotFound } from '../access/rights.js';
import type { CommandIdentity } from '../identity/commands.js';
import type { Desk } from './desk.js';
import type { LinkInput, WriteOptions, Written } from './inputs.js';
import { linkedChild, type LinkStep } from './links.js';
import { knownOf, revisionMismatch, type TaskWrite } from './task-writer.js';

/** Makes an existing task the child of another: the child's stream decides, the parent's announces. */
export class Adoptions {
  constructor(
    private readonly desk: Desk,
    private readonly links: LinkStep,
  ) {}

  async adopt(
    caller: Caller,
    parentTaskId: string,
    child: LinkInput,
    options: WriteOptions,
  ): Promise<Written> {
    const scope = this.desk.scope(caller, 'adopt', parentTaskId);
    const identity = this.desk.identify(scope, options.idempotencyKey, child);
    const parent = permitted(caller, 'link', parentTaskId, await this.desk.current(parentTaskId));
    assertReadable(parent);
    // The announcement carries the key too: another child under the same key is found on the parent.
    const known = knownOf(parent, identity);
    if (known === undefined) assertRevision(parent, options.ifMatch);
    const outcome = await this.desk.writer.write(this.#assignment(caller, parent, child, identity));
    const linked = linkedChild(outcome.fold.task);
    const announced = linked && (await this.links.announce(caller, identity, linked));
    return this.desk.answer(outcome, announced);
  }

  #assignment(
    caller: Caller,
    parentTask: Task,
    { taskId, ...terms }: LinkInput,
    identity: CommandIdentity,
  ): TaskWrite {
    const parent = { ...terms, taskId: parentTask.taskId };
    return {
      taskId,
      caller,
      deed: 'link',
      identity,
      decide: (task, at): readonly TaskEvent[] => {
        assertSameOwner(task, parentTask, taskId);
        return decide({ type: 'AssignParent', at, parent, parentTask }, task);
      },
    };
  }
}

const assertRevision = (parent: Task, ifMatch: number | undefined): void => {
  if (ifMatch !== undefined && ifMatch !== parent.revision) throw revisionMismatch(ifMatch, parent);
};

/** A task of another tenant or owner is no possible child: it looks as if it did not exist. */
const assertSameOwner = (child: Task | undefined, parent: Task, childTaskId: string): void => {
  if (child?.tenant !== parent.tenant || child.owner !== parent.owner) throw taskNotFound(childTaskId);
};
