import {
  decide,
  DomainError,
  type Caller,
  type ChangeState,
  type RecordArtifact,
  type RecordMessage,
  type Task,
} from '#domain';
import type { Deed } from '../access/rights.js';
import type { CommandIdentity, Operation } from '../identity/commands.js';
import { metadataOf } from '../identity/metadata.js';
import type { LateStreams } from '../sides/late-streams.js';
import type { Desk } from './desk.js';
import type {
  ArtifactInput,
  MessageInput,
  SendInput,
  TransitionInput,
  WriteOptions,
  Written,
  WrittenMessage,
} from './inputs.js';
import type { WriteOutcome } from './task-write.js';
import type { Workers } from './workers.js';

/** What is reported to an existing task. */
type Report = ChangeState | RecordArtifact | RecordMessage;

interface Reporting {
  readonly caller: Caller;
  readonly taskId: string;
  readonly operation: Operation;
  readonly deed: Deed;
  readonly input: object;
  readonly options: WriteOptions;
  readonly answersNow?: boolean;
  readonly command: (at: string) => Report;
}

interface Refused {
  readonly task: Task;
  readonly command: Report;
}

/** Messages, transitions and artifacts of one task; what comes after its end is refused and noted. */
export class Reports {
  constructor(
    private readonly desk: Desk,
    private readonly late: LateStreams,
    private readonly workers: Workers,
  ) {}

  async transition(
    caller: Caller,
    taskId: string,
    input: TransitionInput,
    options: WriteOptions,
  ): Promise<Written> {
    const command = (at: string): ChangeState => ({ type: 'ChangeState', at, ...input });
    const { outcome, identity } = await this.#report({
      caller,
      taskId,
      operation: 'transition',
      deed: 'transition',
      input,
      options,
      command,
    });
    const acknowledges = isNoOp(outcome) && input.to === 'canceled';
    const acknowledged = acknowledges
      ? await this.workers.reportedCanceled(caller, identity, outcome.fold.task)
      : undefined;
    return this.desk.answer(outcome, acknowledged);
  }

  async artifact(
    caller: Caller,
    taskId: string,
    input: ArtifactInput,
    options: WriteOptions,
  ): Promise<Written> {
    const command = (at: string): RecordArtifact => ({ type: 'RecordArtifact', at, ...input });
    const { outcome } = await this.#report({
      caller,
      taskId,
      operation: 'artifact',
      deed: 'artifact',
      input,
      options,
      command,
    });
    return this.desk.answer(outcome);
  }

  async message(
    caller: Caller,
    taskId: string,
    { message }: MessageInput,
    options: WriteOptions,
  ): Promise<Written> {
    const command = (at: string): RecordMessage => ({ type: 'RecordMessage', at, message });
    const { outcome } = await this.#report({
      caller,
      taskId,
      operation: 'message',
      deed: 'message',
      input: { message },
      options,
      command,
    });
    return this.desk.answer(outcome);
  }

  /** A message sent to a task over A2A. Repeated under its key, it is answered with the task as it is now. */
  async send(
    caller: Caller,
    taskId: string,
    input: SendInput,
    options: WriteOptions,
  ): Promise<WrittenMessage> {
    const { message, metadata } = input;
    const command = (at: string): RecordMessage => ({ type: 'RecordMessage', at, message });
    const { outcome } = await this.#report({
      caller,
      taskId,
      operation: 'send',
      answersNow: true,
      deed: 'message',
      input: { message, metadata },
      options,
      command,
    });
    const { fold, known, changes } = outcome;
    const messageRevision = known?.revision ?? changes.at(-1)?.event.revision ?? fold.task.revision;
    return { task: fold.task, ...(await this.desk.place(outcome)), created: false, messageRevision };
  }

  async #report(
    reporting: Reporting,
  ): Promise<{ readonly outcome: WriteOutcome; readonly identity: CommandIdentity }> {
    const { caller, taskId, operation, options, input } = reporting;
    const scope = this.desk.scope(caller, operation, taskId);
    const identity = this.desk.identify(scope, options.idempotencyKey, input);
    const refused: Refused[] = [];
    try {
      return { outcome: await this.#write(reporting, identity, refused), identity };
    } catch (error) {
      await this.#noteLate(error, caller, identity, refused.at(-1));
      throw error;
    }
  }

  #write(
    { caller, taskId, deed, options, command, answersNow = false }: Reporting,
    identity: CommandIdentity,
    refused: Refused[],
  ): Promise<WriteOutcome> {
    return this.desk.writer.write({
      taskId,
      caller,
      deed,
      identity,
      answersNow,
      ...(options.ifMatch !== undefined && { ifMatch: options.ifMatch }),
      decide: (task, at) => {
        const asked = command(at);
        try {
          return decide(asked, task);
        } catch (error) {
          if (task !== undefined) refused.push({ task, command: asked });
          throw error;
        }
      },
    });
  }

  /** Only what the task's end refuses is late; a message is not an update of the work. */
  async #noteLate(
    error: unknown,
    caller: Caller,
    identity: CommandIdentity,
    refused?: Refused,
  ): Promise<void> {
    if (!(error instanceof DomainError) || error.code !== 'task-is-terminal' || refused === undefined) return;
    const { task, command } = refused;
    if (command.type === 'RecordMessage') return;
    await this.late.refuse(command, task, metadataOf(caller, identity, task, task.rootTaskId));
    await this.workers.wroteLate(caller, identity, task, command);
  }
}

const isNoOp = ({ changes, known }: WriteOutcome): boolean => changes.length === 0 && known === undefined;
