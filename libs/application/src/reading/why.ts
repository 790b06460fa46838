import {
  factOn,
  rootRevisionOf,
  type CancellationLog,
  type Recorded,
  type CancellationEvent,
  type RecordedTaskEvent,
  type Task,
} from '#domain';
import type { WhyStep } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import type { TaskEvents } from '../sides/root-events.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import { withAncestors } from './ancestors.js';

export interface WhyParts {
  readonly loader: TaskLoader;
  readonly reader: StreamReader;
  readonly events: TaskEvents;
  readonly names: StreamNames;
  readonly cancellations: CancellationStreams;
}

type Opening = Extract<Recorded<CancellationEvent>, { type: 'CancellationOpened' }>;

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

const openingStep = (stream: string, { revision, type, data }: Opening): WhyStep => {
  const { reason } = data.content.body;
  const { principal, via } = data.request.requestedBy;
  return { stream, revision, type, at: data.at, principal, via, ...(reason !== undefined && { reason }) };
};

/** Where the last state of a task stands: its end, the request that is open on it, else its status. */
const lastRevisionOf = ({ end, openCancellation, requests, statusRevision }: Task): number => {
  const asked = openCancellation && factOn(requests, openCancellation.cancellationId);
  return end?.revision ?? asked?.revision ?? statusRevision;
};

/** Revisions of what a cancellation did to a task: how it ended it, and before that how it asked. */
const doneBy = ({ end, requests }: Task, cancellationId: string): readonly number[] => [
  ...(end?.cancellationId === cancellationId ? [end.revision] : []),
  ...[factOn(requests, cancellationId)?.revision ?? []].flat(),
];

/** The chain of causes from a task's last state to the first request, through every stream that knows a part of it. */
export class Causes {
  constructor(private readonly parts: WhyParts) {}

  async of(task: Task): Promise<readonly WhyStep[]> {
    const chain = await withAncestors(task, this.parts.loader);
    const last = lastRevisionOf(task);
    const cancellationId =
      task.end === undefined ? task.openCancellation?.cancellationId : task.end.cancellationId;
    if (cancellationId !== undefined) return this.#cancellation(chain, cancellationId);
    return [...(await this.#step(task.taskId, last)), ...(await this.#births(chain, last))];
  }

  /** Down from the task: what the cancellation did to it, to its parent, … to its root; then the request itself. */
  async #cancellation(chain: readonly Task[], cancellationId: string): Promise<readonly WhyStep[]> {
    const log = await this.parts.cancellations.load(cancellationId);
    const rootIndex = chain.findIndex((task) => isRoot(task, cancellationId, log));
    const passed = rootIndex < 0 ? chain : chain.slice(0, rootIndex + 1);
    const steps: WhyStep[] = [];
    for (const task of passed)
      for (const revision of doneBy(task, cancellationId))
        steps.push(...(await this.#step(task.taskId, revision)));
    steps.push(...(await this.#opening(cancellationId)));
    if (log?.parentEnded !== true || rootIndex < 0) return steps;
    return [...steps, ...(await this.#rootsEnd(chain.slice(rootIndex)))];
  }

  /** What the ledger answered: how the root ended, and why there was a root at all. */
  async #rootsEnd(chain: readonly Task[]): Promise<readonly WhyStep[]> {
    const [root] = chain;
    if (root?.end === undefined) return [];
    const { revision } = root.end;
    return [...(await this.#step(root.taskId, revision)), ...(await this.#births(chain, revision))];
  }

  /** The task's own beginning, and those of the tasks it was made for. */
  async #births(chain: readonly Task[], told: number): Promise<readonly WhyStep[]> {
    const steps: WhyStep[] = [];
    for (const [index, { taskId }] of chain.entries())
      if (index > 0 || told !== 0) steps.push(...(await this.#step(taskId, 0)));
    return steps;
  }

  async #opening(cancellationId: string): Promise<readonly WhyStep[]> {
    const stream = this.parts.names.cancellation(cancellationId);
    const [recorded] = await this.parts.reader.page(stream, 0, 1);
    const decoded = recorded && decodeRecorded(recorded, this.parts.names);
    if (decoded?.kind !== 'cancellation' || decoded.event.type !== 'CancellationOpened') return [];
    return [openingStep(stream, decoded.event)];
  }

  async #step(taskId: string, revision: number): Promise<readonly WhyStep[]> {
    const event = await this.parts.events.at(taskId, revision);
    return event === undefined ? [] : [stepOf(this.parts.names.task(taskId), event)];
  }
}

const isRoot = (task: Task, cancellationId: string, log: CancellationLog | undefined): boolean =>
  log === undefined ? rootRevisionOf(task, cancellationId) !== undefined : log.rootTaskId === task.taskId;
