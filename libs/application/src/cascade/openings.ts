import {
  rootRevisionOf,
  type CancellationLog,
  type CancellationScope,
  type OpenCancellation,
  type Task,
} from '#domain';
import type { Position } from '#event-store';
import { cancellationNotFound, taskNotFound } from '../access/rights.js';
import { decodeRecorded } from '../codec/decode.js';
import type { Fold } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { ancestorsMax } from '../reading/ancestors.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import type { LateStreams } from '../sides/late-streams.js';
import type { TaskEvents } from '../sides/root-events.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { SystemStamps } from './system-stamps.js';

export interface OpeningParts {
  readonly loader: TaskLoader;
  readonly events: TaskEvents;
  readonly cancellations: CancellationStreams;
  readonly late: LateStreams;
  readonly stamps: SystemStamps;
  readonly reader: StreamReader;
  readonly names: StreamNames;
}

/** What opens a cancellation with which the ledger answers a task's end. */
export const openingOfEnd = (
  { cancellationId, rootTaskId, request, reason, begin }: CancellationScope,
  rootRevision: number,
): OpenCancellation => ({
  type: 'OpenCancellation',
  at: begin.at,
  cancellationId,
  rootTaskId,
  rootRevision,
  requestedAt: begin.at,
  request,
  descendantsOnly: false,
  parentEnded: true,
  ...(reason !== undefined && { reason }),
});

/** Opens certificates that nobody has opened yet: the handler that should have may have gone. */
export class Openings {
  constructor(private readonly parts: OpeningParts) {}

  async open(scope: CancellationScope): Promise<CancellationLog> {
    const { cancellationId } = scope;
    const log = await this.parts.cancellations.load(cancellationId);
    if (log !== undefined) return log;
    const opened = await (scope.kind === 'parentEnd' ? this.#answerToEnd(scope) : this.#request(scope));
    if (opened === undefined) throw cancellationNotFound(cancellationId);
    return opened;
  }

  /** The certificate of a cancellation that has come to this task; opened, if need be, from its root's own event. */
  async of(cancellationId: string, task: Task): Promise<CancellationLog | undefined> {
    const { cancellations } = this.parts;
    const log = cancellations.kept(cancellationId) ?? (await cancellations.load(cancellationId));
    if (log !== undefined) return log;
    let next: Task | undefined = task;
    for (let depth = 0; next !== undefined && depth < ancestorsMax; depth += 1) {
      const revision = rootRevisionOf(next, cancellationId);
      if (revision !== undefined) return this.#atRoot(next.taskId, revision);
      next = next.parent && (await this.parts.loader.current(next.parent.taskId))?.task;
    }
    return undefined;
  }

  /**
   * `DescendantsCancellationNoted` beside the root of a cancellation of the descendants only. With everything of the
   * opening's own writer, so that whoever repairs writes the very same.
   */
  async note(cancellationId: string, rootTaskId: string, at: string): Promise<Position | undefined> {
    const [first] = await this.parts.reader.page(this.parts.names.cancellation(cancellationId), 0, 1);
    const decoded = first && decodeRecorded(first, this.parts.names);
    if (decoded?.kind !== 'cancellation') throw cancellationNotFound(cancellationId);
    const { requestHash: _requestHash, ...metadata } = decoded.event.metadata;
    const noted = { ...metadata, $causationId: decoded.event.id };
    return this.parts.late.noteDescendants(rootTaskId, cancellationId, at, noted);
  }

  async #request({ rootTaskId, cancellationId }: CancellationScope): Promise<CancellationLog | undefined> {
    const fold = await this.#root(rootTaskId, cancellationId);
    const revision = rootRevisionOf(fold.task, cancellationId);
    return revision === undefined ? undefined : this.#atRoot(rootTaskId, revision, fold);
  }

  async #atRoot(taskId: string, revision: number, held?: Fold): Promise<CancellationLog | undefined> {
    const root = await this.parts.events.root(taskId, revision, held);
    return (await this.parts.cancellations.open(taskId, root)).log;
  }

  /** The newest fold of the root: one that does not know the cancellation yet is read again. */
  async #root(taskId: string, cancellationId: string): Promise<Fold> {
    const { loader } = this.parts;
    const hot = await loader.current(taskId);
    const knows = hot !== undefined && rootRevisionOf(hot.task, cancellationId) !== undefined;
    const fold = knows ? hot : await loader.fromStore(taskId);
    if (fold === undefined) throw taskNotFound(taskId);
    return fold;
  }

  async #answerToEnd(scope: CancellationScope): Promise<CancellationLog | undefined> {
    const { rootTaskId, cancellationId, begin } = scope;
    const { loader, stamps, cancellations } = this.parts;
    const hot = await loader.current(rootTaskId);
    const fold = hot?.task.end === undefined ? await loader.fromStore(rootTaskId) : hot;
    if (fold?.task.end === undefined) return undefined;
    const { metadata } = stamps.of(cancellationId, begin.eventId, fold.task);
    const opened = await cancellations.openWith(openingOfEnd(scope, fold.task.end.revision), metadata);
    return opened.log;
  }
}
