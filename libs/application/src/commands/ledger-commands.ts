import { DomainError, type Caller } from '#domain';
import type { TaskCommands } from '../application.js';
import type { CancellationPlan } from '../planning/cancellation-plan.js';
import type { Plans } from '../planning/plans.js';
import type { LedgerMetrics } from '../ports/telemetry.js';
import { asDomainError } from '../store/failures.js';
import type { Adoptions } from './adopt.js';
import type { Cancels } from './cancel.js';
import type { Creates } from './create.js';
import type { Declines } from './decline.js';
import type {
  AnswerInput,
  ArtifactInput,
  CancelInput,
  CreateTaskInput,
  LinkInput,
  MessageInput,
  PlanOptions,
  SendInput,
  TransitionInput,
  WriteOptions,
  Written,
  WrittenCancellation,
  WrittenMessage,
} from './inputs.js';
import type { Reports } from './report.js';
import type { Workers } from './workers.js';

export interface CommandParts {
  readonly creates: Creates;
  readonly reports: Reports;
  readonly adoptions: Adoptions;
  readonly cancels: Cancels;
  readonly plans: Plans;
  readonly workers: Workers;
  readonly declines: Declines;
  readonly metrics: LedgerMetrics;
}

/** Everything that writes, behind one door: store failures become codes, refusals are counted. */
export class LedgerCommands implements TaskCommands {
  constructor(private readonly parts: CommandParts) {}

  create(caller: Caller, input: CreateTaskInput, options: WriteOptions = {}): Promise<Written> {
    return this.#counted(() => this.parts.creates.create(caller, input, options));
  }

  send(caller: Caller, input: SendInput, options: WriteOptions = {}): Promise<WrittenMessage> {
    const { taskId } = input.message;
    return this.#counted(() =>
      taskId === undefined
        ? this.parts.creates.send(caller, input, options)
        : this.parts.reports.send(caller, taskId, input, options),
    );
  }

  transition(
    caller: Caller,
    taskId: string,
    input: TransitionInput,
    options: WriteOptions = {},
  ): Promise<Written> {
    return this.#counted(() => this.parts.reports.transition(caller, taskId, input, options));
  }

  recordArtifact(
    caller: Caller,
    taskId: string,
    input: ArtifactInput,
    options: WriteOptions = {},
  ): Promise<Written> {
    return this.#counted(() => this.parts.reports.artifact(caller, taskId, input, options));
  }

  recordMessage(
    caller: Caller,
    taskId: string,
    input: MessageInput,
    options: WriteOptions = {},
  ): Promise<Written> {
    return this.#counted(() => this.parts.reports.message(caller, taskId, input, options));
  }

  adopt(
    caller: Caller,
    parentTaskId: string,
    child: LinkInput,
    options: WriteOptions = {},
  ): Promise<Written> {
    return this.#counted(() => this.parts.adoptions.adopt(caller, parentTaskId, child, options));
  }

  cancel(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    options: WriteOptions = {},
  ): Promise<WrittenCancellation> {
    return this.#counted(() => this.parts.cancels.cancel(caller, taskId, input, options));
  }

  planCancellation(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    options: PlanOptions = {},
  ): Promise<CancellationPlan> {
    return this.#counted(() => this.parts.plans.plan(caller, taskId, input, options));
  }

  acknowledge(
    caller: Caller,
    taskId: string,
    input: AnswerInput,
    options: WriteOptions = {},
  ): Promise<WrittenCancellation> {
    return this.#counted(() => this.parts.workers.acknowledge(caller, taskId, input, options));
  }

  decline(
    caller: Caller,
    taskId: string,
    input: AnswerInput,
    options: WriteOptions = {},
  ): Promise<WrittenCancellation> {
    return this.#counted(() => this.parts.declines.decline(caller, taskId, input, options));
  }

  async #counted<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      const told = asDomainError(error);
      if (told instanceof DomainError) this.parts.metrics.refused(told.code);
      throw told;
    }
  }
}
