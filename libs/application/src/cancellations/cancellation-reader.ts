import type { Caller, CancellationLog } from '#domain';
import { cancellationNotFound, maySee } from '../access/rights.js';
import type { CancellationReader, NodesPage } from '../application.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { LiveHub } from '../live/live-hub.js';
import { Outage } from '../live/outages.js';
import { wakeUpOf, withinTime } from '../live/wakes.js';
import { concurrently } from '../reading/concurrently.js';
import { translated } from '../store/failures.js';
import type { StreamNames } from '../streams.js';
import { certificateOf } from './certificate-of.js';
import type { Certificate, TaskCancellation } from './certificate.js';
import type { CancellationFinder } from './finder.js';
import { linesOf, namesMax, type KnownCancellation } from './lines.js';
import type { TaskCancellations } from './of-task.js';

/** Tasks that are looked at at once. */
const looksMax = 32;

export interface CancellationReaderParts {
  readonly finder: CancellationFinder;
  readonly ofTask: TaskCancellations;
  readonly loader: TaskLoader;
  readonly hub: LiveHub;
  readonly names: StreamNames;
}

const isReached = (log: CancellationLog | undefined, until: 'settled' | 'confirmed'): boolean =>
  log !== undefined && (log.status === until || log.status === 'confirmed');

/** Certificates, scoped to the caller by whose the root is. */
export class Certificates implements CancellationReader {
  constructor(private readonly parts: CancellationReaderParts) {}

  get(caller: Caller, cancellationId: string, page: NodesPage = {}): Promise<Certificate> {
    return translated(async () => {
      const known = await this.#visible(caller, cancellationId);
      return certificateOf(known, await this.#living(known), page.nodesAfter);
    });
  }

  wait(
    caller: Caller,
    cancellationId: string,
    until: 'settled' | 'confirmed',
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<void> {
    return translated(async () => {
      await this.#visible(caller, cancellationId);
      await withinTime(options, (over) => this.#reached(cancellationId, until, over));
    });
  }

  ofTask(caller: Caller, taskId: string): Promise<readonly TaskCancellation[]> {
    return translated(() => this.parts.ofTask.of(caller, taskId));
  }

  /** Woken by every event of the certificate, whoever writes it. */
  async #reached(cancellationId: string, until: 'settled' | 'confirmed', over: AbortSignal): Promise<void> {
    const { hub, names, finder } = this.parts;
    const wake = wakeUpOf(hub, names.cancellation(cancellationId), over);
    const outage = new Outage(over);
    try {
      while (!wake.closed) {
        try {
          const log = await finder.log(cancellationId, wake.seen);
          outage.over();
          if (isReached(log, until)) return;
          await wake.beyond(log?.revision ?? -1);
        } catch (error) {
          await outage.waitOut(error);
        }
      }
    } finally {
      wake.close();
    }
  }

  async #visible(caller: Caller, cancellationId: string): Promise<KnownCancellation> {
    const known = await this.parts.finder.find(cancellationId);
    if (known === undefined || !maySee(caller, known.log)) throw cancellationNotFound(cancellationId);
    return known;
  }

  async #living(known: KnownCancellation): Promise<ReadonlySet<string>> {
    const spared = linesOf(known).spared.slice(0, namesMax);
    const tasks = await concurrently(spared, looksMax, (taskId) => this.parts.loader.newest(taskId));
    return new Set(spared.filter((_taskId, index) => tasks[index]?.task.end === undefined));
  }
}
