import {
  DomainError,
  factOn,
  type EventMetadata,
  type OpenCancellation,
  type RecordedTaskEvent,
  type Task,
} from '#domain';
import { decodeRecorded } from '../codec/decode.js';
import type { Fold } from '../folds/hot-folds.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';

/** An event of a task that names a cancellation; the root's own one is the first fact of it. */
export type RootEvent = Extract<RecordedTaskEvent, { type: 'TaskCanceled' | 'CancellationRequested' }>;

export const isRootEvent = (event: RecordedTaskEvent): event is RootEvent =>
  event.type === 'TaskCanceled' || event.type === 'CancellationRequested';

/** Everything of the root event's own writer, so that whoever repairs writes the very same. */
export const openedMetadata = (root: RootEvent): EventMetadata => {
  const { requestHash: _requestHash, ...metadata } = root.metadata;
  return { ...metadata, $causationId: root.id, $correlationId: root.data.cancellationId };
};

/** What opens the certificate that a root's own event begins. */
export const openingOf = (rootTaskId: string, root: RootEvent): OpenCancellation => {
  const { cancellationId, request, content, at } = root.data;
  const { reason, metadata } = content.body;
  return {
    type: 'OpenCancellation',
    at,
    cancellationId,
    rootTaskId,
    rootRevision: root.revision,
    requestedAt: at,
    request,
    descendantsOnly: false,
    ...(reason !== undefined && { reason }),
    ...(metadata !== undefined && { metadata }),
  };
};

/** Single events of tasks: from the fold that still holds them, else read. */
export class TaskEvents {
  constructor(
    private readonly reader: StreamReader,
    private readonly names: StreamNames,
  ) {}

  async at(taskId: string, revision: number, held?: Fold): Promise<RecordedTaskEvent | undefined> {
    const kept = held?.tail.find(({ event }) => event.revision === revision)?.event;
    if (kept !== undefined) return kept;
    const [recorded] = await this.reader.page(this.names.task(taskId), revision, 1);
    const decoded = recorded && decodeRecorded(recorded, this.names);
    return decoded?.kind === 'task' && decoded.event.revision === revision ? decoded.event : undefined;
  }

  /** @throws DomainError `unavailable`: the log holds no such event there */
  async root(taskId: string, revision: number, held?: Fold): Promise<RootEvent> {
    const event = await this.at(taskId, revision, held);
    if (event !== undefined && isRootEvent(event)) return event;
    throw new DomainError('unavailable', `revision ${revision} of task ${taskId} is not a cancellation`);
  }

  /** Why a cancellation ended this task, in the words of whoever asked for it: as the task heard them first. */
  async reasonOfEnd({ taskId, end, requests }: Task, held?: Fold): Promise<string | undefined> {
    if (end?.cancellationId === undefined) return undefined;
    const asked = factOn(requests, end.cancellationId);
    const event = await this.at(taskId, asked?.revision ?? end.revision, held);
    return event && isRootEvent(event) ? event.data.content.body.reason : undefined;
  }
}
