import { DomainError, type Caller, type CancellationLog } from '#domain';
import { maySee } from '../access/rights.js';
import type { CancellationReader } from '../application.js';
import type { CancellationStreams, RootEvent } from '../commands/cancellation-streams.js';
import type { Fold } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { CancellationRoots } from '../ports/cancellation-roots.js';
import { translated } from '../store/failures.js';
import { noCounts, noWorkers, type Certificate, type CertificateNode } from './certificate.js';

export interface CancellationReaderParts {
  readonly streams: CancellationStreams;
  readonly loader: TaskLoader;
  readonly roots?: CancellationRoots;
}

/** The certificate of a cancellation as far as one task's own event and the cancellation's stream tell it. */
export class RootCertificates implements CancellationReader {
  constructor(private readonly parts: CancellationReaderParts) {}

  get(caller: Caller, cancellationId: string): Promise<Certificate> {
    return translated(async () => {
      const log = await this.parts.streams.load(cancellationId);
      const place = log ?? (await this.parts.roots?.rootOfCancellation(cancellationId));
      if (place?.rootRevision === undefined) throw notFound(cancellationId);
      const { rootTaskId, rootRevision } = place;
      const fold = await this.#visible(caller, cancellationId, rootTaskId);
      const root = await this.parts.streams.rootEvent(rootTaskId, rootRevision);
      if (root.data.cancellationId !== cancellationId) throw notFound(cancellationId);
      const before = await this.parts.loader.asOf(rootTaskId, rootRevision - 1, fold);
      // A task that never left submitted was nobody's work yet: there is no worker to be told.
      const worker = before?.state === 'submitted' ? 'none' : 'unnotified';
      return certificateOf(rootTaskId, root, worker, log);
    });
  }

  async #visible(caller: Caller, cancellationId: string, rootTaskId: string): Promise<Fold> {
    const fold = await this.parts.loader.current(rootTaskId);
    if (fold === undefined || !maySee(caller, fold.task)) throw notFound(cancellationId);
    return fold;
  }
}

const notFound = (cancellationId: string): DomainError =>
  new DomainError('cancellation-not-found', `no cancellation ${cancellationId}`, { cancellationId });

const nodeOf = (taskId: string, root: RootEvent, worker: CertificateNode['worker']): CertificateNode => {
  const { at } = root.data;
  const isEnded = root.type === 'TaskCanceled';
  const outcome = !isEnded ? 'waiting' : root.data.forced === true ? 'forced' : 'canceled';
  const settled = isEnded ? { revision: root.revision, settledAt: at } : {};
  return { taskId, depth: 0, outcome, ...settled, reachedAt: at, worker, attempts: 1 };
};

const certificateOf = (
  rootTaskId: string,
  root: RootEvent,
  worker: 'none' | 'unnotified',
  log: CancellationLog | undefined,
): Certificate => {
  const { cancellationId, request, content, at } = root.data;
  const { reason, metadata } = content.body;
  const node = nodeOf(rootTaskId, root, worker);
  const isOpen = node.outcome === 'waiting';
  return {
    cancellationId,
    rootTaskId,
    requestedAt: at,
    requestedBy: request.requestedBy,
    mode: request.mode,
    ...(reason !== undefined && { reason }),
    ...(metadata !== undefined && { metadata }),
    // Settled is what whoever carries a cancellation down the links writes; until then it runs.
    status: 'running',
    counts: isOpen ? noCounts : { ...noCounts, [node.outcome]: 1 },
    workers: { ...noWorkers, [worker]: 1 },
    nodes: [node],
    survivors: isOpen ? [rootTaskId] : [],
    unconfirmed: !isOpen && worker === 'unnotified' ? [rootTaskId] : [],
    repeats: (log?.repeats ?? []).map(({ at: repeatedAt, by }) => ({ at: repeatedAt, by })),
  };
};
