import {
  decideCancellation,
  DomainError,
  evolveCancellation,
  type CancellationLog,
  type Caller,
  type EventMetadata,
  type JsonObject,
  type RecordedTaskEvent,
} from '#domain';
import type { WhyStep } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
import type { CommandIdentity } from '../identity/commands.js';
import { metadataOf } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { FoldSide, SideStreams } from './side-streams.js';

/** The root's own event: the first fact of a cancellation. */
export type RootEvent = Extract<RecordedTaskEvent, { type: 'TaskCanceled' | 'CancellationRequested' }>;

export const isRootEvent = (event: RecordedTaskEvent): event is RootEvent =>
  event.type === 'TaskCanceled' || event.type === 'CancellationRequested';

/** One cancel that found the task canceled already. */
export interface Repeat {
  readonly caller: Caller;
  readonly identity: CommandIdentity;
  readonly at: string;
  readonly taskId: string;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

/** Everything of the root event's own writer, so that whoever repairs writes the very same. */
const openedMetadata = (root: RootEvent): EventMetadata => {
  const { requestHash: _requestHash, ...metadata } = root.metadata;
  return { ...metadata, $causationId: root.id, $correlationId: root.data.cancellationId };
};

/** The streams of cancellations: opened once, by whoever comes first; repeats are noted. */
export class CancellationStreams {
  readonly #fold: FoldSide<CancellationLog>;

  constructor(
    private readonly sides: SideStreams,
    private readonly reader: StreamReader,
    private readonly names: StreamNames,
    private readonly logId: string,
  ) {
    this.#fold = (log, recorded) => {
      const decoded = decodeRecorded(recorded, names);
      return decoded.kind === 'cancellation' ? evolveCancellation(log, decoded.event) : log;
    };
  }

  async load(cancellationId: string): Promise<CancellationLog | undefined> {
    return (await this.sides.load(this.names.cancellation(cancellationId), this.#fold)).log;
  }

  /** The request as the cancellation's own stream tells it first. */
  async opening(cancellationId: string): Promise<WhyStep | undefined> {
    const stream = this.names.cancellation(cancellationId);
    const [recorded] = await this.reader.page(stream, 0, 1);
    const decoded = recorded && decodeRecorded(recorded, this.names);
    if (decoded?.kind !== 'cancellation' || decoded.event.type !== 'CancellationOpened') return undefined;
    const { revision, type, data } = decoded.event;
    const { reason } = data.content.body;
    const { principal, via } = data.request.requestedBy;
    return { stream, revision, type, at: data.at, principal, via, ...(reason !== undefined && { reason }) };
  }

  /** The root's event at a revision of its stream. */
  async rootEvent(taskId: string, revision: number): Promise<RootEvent> {
    const [recorded] = await this.reader.page(this.names.task(taskId), revision, 1);
    const decoded = recorded && decodeRecorded(recorded, this.names);
    if (decoded?.kind === 'task' && isRootEvent(decoded.event)) return decoded.event;
    throw new DomainError(
      'unavailable',
      `revision ${String(revision)} of task ${taskId} is not a cancellation`,
    );
  }

  /** Writes `CancellationOpened`, unless it is there. Before this nobody is given the id. */
  open(rootTaskId: string, root: RootEvent): Promise<string | undefined> {
    const { cancellationId, request, content, at } = root.data;
    const { reason, metadata } = content.body;
    const facts = { cancellationId, rootTaskId, rootRevision: root.revision, requestedAt: at, request };
    const said = { ...(reason !== undefined && { reason }), ...(metadata !== undefined && { metadata }) };
    return this.sides.write({
      stream: this.names.cancellation(cancellationId),
      fold: this.#fold,
      decide: (log) =>
        decideCancellation({ type: 'OpenCancellation', at, ...facts, descendantsOnly: false, ...said }, log),
      eventId: nameBasedUuid(['CancellationOpened', this.logId, cancellationId, rootTaskId, root.revision]),
      metadata: openedMetadata(root),
    });
  }

  /** The first 100; the same command again is the same repeat. */
  noteRepeat(cancellationId: string, root: RootEvent, repeat: Repeat): Promise<string | undefined> {
    const { caller, identity, at, taskId, reason, metadata } = repeat;
    const id = nameBasedUuid([
      'CancellationRepeated',
      this.logId,
      cancellationId,
      taskId,
      identity.commandId,
    ]);
    const { principal, role, via, requestId } = caller;
    const by = { principal, role, via, ...(requestId !== undefined && { requestId }) };
    const said = { ...(reason !== undefined && { reason }), ...(metadata !== undefined && { metadata }) };
    return this.sides.write({
      stream: this.names.cancellation(cancellationId),
      fold: this.#fold,
      decide: (log) => decideCancellation({ type: 'NoteRepeat', eventId: id, at, taskId, by, ...said }, log),
      eventId: id,
      metadata: metadataOf(caller, identity, root.metadata, cancellationId),
    });
  }
}
