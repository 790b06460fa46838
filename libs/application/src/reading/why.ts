import type { RecordedTaskEvent, Task } from '#domain';
import type { WhyStep } from '../application.js';
import { isRootEvent, type CancellationStreams } from '../commands/cancellation-streams.js';
import { decodeRecorded } from '../codec/decode.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';

/** Parents that are climbed; a longer chain is told from below up to here. */
const ancestorsMax = 1_000;

export interface WhyParts {
  readonly loader: TaskLoader;
  readonly reader: StreamReader;
  readonly names: StreamNames;
  readonly cancellations: CancellationStreams;
}

const reasonOf = (event: RecordedTaskEvent): string | undefined => {
  if (!('content' in event.data)) return undefined;
  const { reason } = event.data.content.body as { readonly reason?: string };
  return reason;
};

const stepOf = (stream: string, event: RecordedTaskEvent): WhyStep => {
  const reason = reasonOf(event);
  const { principal, via } = event.metadata;
  const { revision, type } = event;
  return {
    stream,
    revision,
    type,
    at: event.data.at,
    principal,
    via,
    ...(reason !== undefined && { reason }),
  };
};

/** The chain of causes from a task's last state to the first request, as far as one ledger knows it. */
export class Causes {
  constructor(private readonly parts: WhyParts) {}

  async of(task: Task): Promise<readonly WhyStep[]> {
    const status = await this.#event(task.taskId, task.statusRevision);
    if (status === undefined) return [];
    const steps = [stepOf(this.parts.names.task(task.taskId), status)];
    const cancellation = task.cancellationId ?? '';
    const asked = isRootEvent(status) || (status.type === 'TaskStopped' && cancellation !== '');
    steps.push(...(asked ? await this.#cancellation(task, cancellation) : await this.#births(task, status)));
    return steps;
  }

  /** Up the parents that the same cancellation has ended, to the request that opened it. */
  async #cancellation(task: Task, cancellationId: string): Promise<readonly WhyStep[]> {
    const steps: WhyStep[] = [];
    let above = await this.#parentOf(task);
    for (let depth = 0; above?.cancellationId === cancellationId && depth < ancestorsMax; depth += 1) {
      const ending = await this.#event(above.taskId, above.statusRevision);
      if (ending !== undefined) steps.push(stepOf(this.parts.names.task(above.taskId), ending));
      above = await this.#parentOf(above);
    }
    const opened = await this.parts.cancellations.opening(cancellationId);
    return opened === undefined ? steps : [...steps, opened];
  }

  /** The task's own beginning, and those of the tasks it was made for. */
  async #births(task: Task, status: RecordedTaskEvent): Promise<readonly WhyStep[]> {
    const steps: WhyStep[] = [];
    let next: Task | undefined = task;
    for (let depth = 0; next !== undefined && depth < ancestorsMax; depth += 1) {
      const birth = next === task && status.revision === 0 ? undefined : await this.#event(next.taskId, 0);
      if (birth !== undefined) steps.push(stepOf(this.parts.names.task(next.taskId), birth));
      next = await this.#parentOf(next);
    }
    return steps;
  }

  async #parentOf({ parent }: Task): Promise<Task | undefined> {
    return parent && (await this.parts.loader.current(parent.taskId))?.task;
  }

  async #event(taskId: string, revision: number): Promise<RecordedTaskEvent | undefined> {
    const [recorded] = await this.parts.reader.page(this.parts.names.task(taskId), revision, 1);
    const decoded = recorded && decodeRecorded(recorded, this.parts.names);
    return decoded?.kind === 'task' ? decoded.event : undefined;
  }
}
