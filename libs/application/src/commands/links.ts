import {
  decide,
  DomainError,
  type Caller,
  type ChildLink,
  type EventMetadata,
  type ParentLink,
  type Task,
  type TaskEvent,
} from '#domain';
import type { Position } from '#event-store';
import type { CommandIdentity } from '../identity/commands.js';
import { metadataOf, systemMetadata } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import { stampOf } from '../identity/stamp.js';
import type { Clock } from '../ports/clock.js';
import type { LateStreams } from '../sides/late-streams.js';
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

/** Who announces: whoever made the link, or the ledger, which saw the child's event. */
export type Announcer =
  { readonly caller: Caller; readonly identity: CommandIdentity } | { readonly causeId: string };

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
  async announce(by: Announcer, child: LinkedChild): Promise<Position | undefined> {
    try {
      return await this.#onParent(by, child);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'task-is-terminal') throw error;
      return this.#late(by, child);
    }
  }

  /** Whether a late link of this parent was made under this key. @throws DomainError `idempotency-conflict` */
  isKnownLate({ taskId }: Task, identity: CommandIdentity): Promise<boolean> {
    return this.parts.late.knows(taskId, identity);
  }

  async #onParent(by: Announcer, child: LinkedChild): Promise<Position | undefined> {
    const link = childLinkOf(child);
    const parentTaskId = child.parent.taskId;
    const means = ['ChildLinked', this.parts.logId, parentTaskId, child.taskId];
    const write = {
      taskId: parentTaskId,
      decide: (task: Task | undefined, at: string) => decide({ type: 'LinkChild', at, child: link }, task),
      eventId: (_index: number, { data }: TaskEvent) => nameBasedUuid([...means, data.at]),
    };
    const outcome = await this.parts.writer.write(
      'caller' in by
        ? { ...write, ...by, deed: 'link' }
        : { ...write, stamp: (parent) => stampOf(this.#metadata(by, parent, child)) },
    );
    return outcome.position;
  }

  async #late(by: Announcer, child: LinkedChild): Promise<Position | undefined> {
    const parent = await this.parts.writer.look(child.parent.taskId);
    const at = new Date(this.parts.clock.now()).toISOString();
    const metadata = this.#metadata(by, parent, child);
    return this.parts.late.linkChild(parent.taskId, childLinkOf(child), at, metadata);
  }

  #metadata(by: Announcer, parent: Task, child: LinkedChild): EventMetadata {
    const correlationId = parent.rootTaskId;
    if ('caller' in by) return metadataOf(by.caller, by.identity, parent, correlationId);
    const commandId = nameBasedUuid(['announce', this.parts.logId, parent.taskId, child.taskId]);
    return systemMetadata(parent, { commandId, causeId: by.causeId, correlationId });
  }
}

/** The child, if it hangs under a parent. */
export const linkedChild = ({ taskId, parent }: Task): LinkedChild | undefined =>
  parent && { taskId, parent };
