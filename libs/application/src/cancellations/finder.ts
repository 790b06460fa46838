import {
  decideCancellation,
  evolveCancellation,
  rootRevisionOf,
  type CancellationLog,
  type Task,
} from '#domain';
import type { TaskLoader } from '../folds/task-loader.js';
import type { CancellationRoots } from '../ports/cancellation-roots.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import { openedMetadata, openingOf, type RootEvent, type TaskEvents } from '../sides/root-events.js';
import { rootLineOf } from './certificate-of.js';
import type { KnownCancellation } from './lines.js';

export interface FinderParts {
  readonly streams: CancellationStreams;
  readonly events: TaskEvents;
  readonly loader: TaskLoader;
  readonly roots?: CancellationRoots;
}

/** A cancellation as its stream will tell it, from its root's own event alone. */
const begunBy = (rootTaskId: string, root: RootEvent): CancellationLog | undefined => {
  const metadata = openedMetadata(root);
  const place = { revision: 0, id: root.id, metadata, bytes: 0 };
  return decideCancellation(openingOf(rootTaskId, root), undefined).reduce<CancellationLog | undefined>(
    (log, event) => evolveCancellation(log, { ...event, ...place }),
    undefined,
  );
};

/** Finds what is known of a cancellation: from its stream, or before that is opened from its root's own event. */
export class CancellationFinder {
  constructor(private readonly parts: FinderParts) {}

  async find(cancellationId: string): Promise<KnownCancellation | undefined> {
    const log = await this.parts.streams.load(cancellationId);
    if (log !== undefined) return this.#withRoot(log);
    const root = await this.parts.roots?.rootOfCancellation(cancellationId);
    return root && this.#begun(cancellationId, root.rootTaskId, root.rootRevision);
  }

  /** One that has begun at this task. */
  async begunAt(task: Task, cancellationId: string): Promise<KnownCancellation | undefined> {
    const log = await this.parts.streams.load(cancellationId);
    if (log !== undefined) return this.#withRoot(log);
    const revision = rootRevisionOf(task, cancellationId);
    return revision === undefined ? undefined : this.#begun(cancellationId, task.taskId, revision);
  }

  /** Whether the certificate itself says this already, without a look at the root. */
  async log(cancellationId: string, seen?: number): Promise<CancellationLog | undefined> {
    return this.parts.streams.load(cancellationId, seen);
  }

  async #begun(
    cancellationId: string,
    rootTaskId: string,
    revision: number,
  ): Promise<KnownCancellation | undefined> {
    const root = await this.parts.events.root(rootTaskId, revision);
    const log = root.data.cancellationId === cancellationId ? begunBy(rootTaskId, root) : undefined;
    return log && this.#withRoot(log);
  }

  async #withRoot(log: CancellationLog): Promise<KnownCancellation> {
    if (log.descendantsOnly || log.wasSettled) return { log };
    const root = (await this.parts.loader.newest(log.rootTaskId))?.task;
    const rootLine = root && rootLineOf(log, root);
    return { log, ...(rootLine && { rootLine }) };
  }
}
