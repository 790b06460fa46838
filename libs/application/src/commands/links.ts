import { decide, DomainError, type Caller, type ChildLink, type ParentLink, type Task } from '#domain';
import type { CommandIdentity } from '../identity/commands.js';
import { metadataOf } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import type { Clock } from '../ports/clock.js';
import type { LateStreams } from './late-streams.js';
import type { TaskWriter } from './task-writer.js';

export interface LinkParts {
  readonly writer: TaskWriter;
  readonly late: LateStreams;
  readonly clock: Clock;
  readonly logId: string;
}

/** A child whose own stream has decided for this parent. */
export interface LinkedChild {
  readonly taskId: string;
  readonly parent: ParentLink;
}

const childLinkOf = ({ taskId, parent: { taskId: _parent, ...terms } }: LinkedChild): ChildLink => ({
  taskId,
  ...terms,
});

/** Announces on the parent's side what a child's stream has decided. */
export class LinkStep {
  constructor(private readonly parts: LinkParts) {}

  /**
   * `ChildLinked` while the parent is open, else `LateChildLinked` beside it; neither where it stands already, so
   * that a retry after a crash finishes the step. Store position of what was appended now.
   */
  async announce(caller: Caller, identity: CommandIdentity, child: LinkedChild): Promise<string | undefined> {
    try {
      return await this.#onParent(caller, identity, child);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'task-is-terminal') throw error;
      return this.#late(caller, identity, child);
    }
  }

  async #onParent(
    caller: Caller,
    identity: CommandIdentity,
    child: LinkedChild,
  ): Promise<string | undefined> {
    const link = childLinkOf(child);
    const outcome = await this.parts.writer.write({
      taskId: child.parent.taskId,
      caller,
      deed: 'link',
      identity,
      decide: (task, at) => decide({ type: 'LinkChild', at, child: link }, task),
      eventId: () => nameBasedUuid(['ChildLinked', this.parts.logId, child.parent.taskId, child.taskId]),
    });
    return outcome.position;
  }

  async #late(caller: Caller, identity: CommandIdentity, child: LinkedChild): Promise<string | undefined> {
    const parent = await this.parts.writer.look(child.parent.taskId);
    const at = new Date(this.parts.clock.now()).toISOString();
    const metadata = metadataOf(caller, identity, parent, parent.rootTaskId);
    return this.parts.late.linkChild(parent.taskId, childLinkOf(child), at, metadata);
  }
}

/** The child, if it hangs under a parent. */
export const linkedChild = ({ taskId, parent }: Task): LinkedChild | undefined =>
  parent && { taskId, parent };
