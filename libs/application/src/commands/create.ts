import { decide, evolveDocumentAll, type Caller, type SubmitTask, type TaskDocument } from '#domain';
import { assertMayDo, permitted } from '../access/rights.js';
import { newTaskId, type CommandIdentity, type CommandScope } from '../identity/commands.js';
import type { Desk } from './desk.js';
import type { CreateTaskInput, SendInput, WriteOptions, Written, WrittenMessage } from './inputs.js';
import { linkedChild, type LinkStep } from './links.js';
import type { OfferedParent, Parents } from './parents.js';
import { knownOf, type WriteOutcome } from './task-write.js';

/** What a create is decided from, on whatever surface it was asked for. */
type NewTask = Omit<SubmitTask, 'type' | 'at' | 'taskId' | 'contextId' | 'parentTask' | 'parentReason'>;

interface Create {
  readonly caller: Caller;
  readonly taskId: string;
  readonly contextId: string | undefined;
  readonly identity: CommandIdentity;
  readonly task: NewTask;
  readonly answersNow?: boolean;
}

/** Makes tasks: by the ledger API, by a message without a task, under a parent. */
export class Creates {
  constructor(
    private readonly desk: Desk,
    private readonly links: LinkStep,
    private readonly parents: Parents,
  ) {}

  async create(caller: Caller, input: CreateTaskInput, options: WriteOptions): Promise<Written> {
    assertMayDo(caller, 'create');
    const { contextId, ...task } = input;
    const scope = this.desk.scope(caller, 'create', null);
    const create = this.#create(
      scope,
      options.idempotencyKey,
      input,
      contextId ?? input.message?.contextId,
      task,
    );
    const outcome = await this.#submit(create);
    const linked = linkedChild(outcome.fold.task);
    // Announced also on a retry: the first attempt may have ended in between.
    const announced =
      linked && (await this.links.announce({ caller, identity: unkeyed(create.identity) }, linked));
    return this.desk.answer(outcome, announced);
  }

  /** The task that a message without a task makes (A2A §3.4). A repeated send answers the task as it is now. */
  async send(
    caller: Caller,
    { message, metadata }: SendInput,
    options: WriteOptions,
  ): Promise<WrittenMessage> {
    assertMayDo(caller, 'create');
    const task = { message, ...(metadata && { metadata }) };
    const scope = this.desk.scope(caller, 'send', null);
    const create = this.#create(
      scope,
      options.idempotencyKey,
      { message, metadata },
      message.contextId,
      task,
    );
    const outcome = await this.#submit({ ...create, answersNow: true });
    return {
      task: outcome.fold.task,
      ...(await this.desk.place(outcome)),
      created: true,
      messageRevision: 0,
      ...documentOf(outcome),
    };
  }

  #create(
    scope: CommandScope,
    key: string | undefined,
    input: object,
    contextId: string | undefined,
    task: NewTask,
  ): Create {
    const identity = this.desk.identify(scope, key, input);
    return { caller: scope.caller, taskId: newTaskId(scope, key, this.desk.ids), contextId, identity, task };
  }

  async #submit(create: Create): Promise<WriteOutcome> {
    const { caller, taskId, identity, task } = create;
    // What a first attempt was allowed may be refused by now: its parent has ended, its deadline has passed.
    const mayBeTooLate = task.parent !== undefined || task.deadline !== undefined;
    const found =
      mayBeTooLate && identity.requestHash !== undefined ? await this.desk.fold(taskId) : undefined;
    const known = found && knownOf(permitted(caller, 'create', taskId, found.task), identity);
    if (found !== undefined && known !== undefined) return { fold: found, changes: [], known };
    return this.#write(create, task.parent && (await this.parents.offered(caller, task.parent)));
  }

  #write(
    { caller, taskId, identity, task, contextId, answersNow = false }: Create,
    offered: OfferedParent | undefined,
  ): Promise<WriteOutcome> {
    const parent = offered?.parentTask;
    const context = contextId ?? parent?.contextId ?? this.desk.ids.uuid();
    const owned = parent ?? { tenant: caller.tenant, owner: caller.principal };
    return this.desk.writer.write({
      taskId,
      caller,
      deed: 'create',
      identity,
      answersNow,
      creates: { tenant: owned.tenant, owner: owned.owner },
      decide: (current, at) =>
        decide(
          {
            type: 'SubmitTask',
            at,
            taskId,
            contextId: context,
            ...task,
            ...offered,
          },
          current,
        ),
    });
  }
}

/** A create's own key is remembered by its task, not by the task's parent. */
const unkeyed = ({ commandId }: CommandIdentity): CommandIdentity => ({ commandId });

const documentOf = ({ changes }: WriteOutcome): { readonly document?: TaskDocument } =>
  changes.length === 0
    ? {}
    : {
        document: evolveDocumentAll(
          undefined,
          changes.map(({ event }) => event),
        ),
      };
