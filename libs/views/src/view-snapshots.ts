import type { LedgerLogger, Snapshot, Snapshots, SnapshotWithDocument } from '#application';
import { DomainError, foldVersion } from '#domain';
import type { ServingView } from './keeping/serving-view.js';
import type { ViewDatabase } from './store/index.js';

/**
 * The view as snapshots of tasks. While it is being filled, or its database is away, there are none, and readers fold
 * whole streams: what can be answered from the log needs no view.
 */
export class ViewSnapshots implements Snapshots {
  #isAway = false;

  constructor(
    private readonly serving: ServingView,
    private readonly logger: LedgerLogger,
  ) {}

  async load(taskId: string): Promise<Snapshot | undefined> {
    const task = await this.#ask((database) => database.loadTask(taskId));
    return task && { foldVersion, task };
  }

  async loadDocument(
    taskId: string,
    { messages }: { messages: number },
  ): Promise<SnapshotWithDocument | undefined> {
    const stored = await this.#ask((database) =>
      database.loadDocument(taskId, { messages, artifacts: true }),
    );
    return stored && { foldVersion, ...stored };
  }

  distrust(taskId: string, detail: string): void {
    this.logger.error(
      { taskId, detail },
      'the view of a task does not agree with its stream; rebuild the views',
    );
    this.serving.database?.distrust(taskId, detail).catch((error: unknown) => {
      this.logger.error(
        { taskId, error: String(error) },
        'a view that cannot be trusted could not be marked',
      );
    });
  }

  async #ask<Found>(question: (database: ViewDatabase) => Promise<Found>): Promise<Found | undefined> {
    const { database } = this.serving;
    try {
      const found = database && (await question(database));
      this.#isAway = false;
      return found;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
      if (!this.#isAway)
        this.logger.warn({ error: error.message }, 'there are no snapshots: the views are away');
      this.#isAway = true;
      return undefined;
    }
  }
}
