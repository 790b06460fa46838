import { assertReadable, type Caller, type LinkPolicy, type Task } from '#domain';
import { permitted } from '../access/rights.js';
import type { TaskEvents } from '../sides/root-events.js';
import type { Desk } from './desk.js';

/** A parent to be, and why it was canceled, where the child is to end with it at once. */
export interface OfferedParent {
  readonly parentTask: Task;
  readonly parentReason?: string;
}

/** A child of a parent that a cascading cancellation has ended is born, or adopted, canceled. */
const endsChild = ({ state, end }: Task, policy: LinkPolicy | undefined): boolean =>
  state === 'canceled' && end?.request?.cascade === true && policy !== 'abandon';

/** Looks at the parent that a link asks for. */
export class Parents {
  constructor(
    private readonly desk: Desk,
    private readonly events: TaskEvents,
  ) {}

  /** @throws DomainError `task-not-found`, `forbidden`, `task-unreadable` */
  async offered(
    caller: Caller,
    { taskId, policy }: { readonly taskId: string; readonly policy?: LinkPolicy },
  ): Promise<OfferedParent> {
    const fold = await this.desk.fold(taskId);
    const parentTask = permitted(caller, 'link', taskId, fold?.task);
    assertReadable(parentTask);
    if (!endsChild(parentTask, policy)) return { parentTask };
    const parentReason = await this.events.reasonOfEnd(parentTask, fold);
    return { parentTask, ...(parentReason !== undefined && { parentReason }) };
  }
}
