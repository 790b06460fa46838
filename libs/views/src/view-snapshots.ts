import type { LedgerLogger, Snapshot, Snapshots, SnapshotWithDocument } from '#application';
import { foldVersion } from '#domain';
import type { ServingView } from './keeping/serving-view.js';

/** The view as snapshots of tasks. While it is being filled there are none, and readers fold whole streams. */
export class ViewSnapshots implements Snapshots {
  constructor(
    private readonly serving: ServingView,
    private readonly logger: LedgerLogger,
  ) {}

  async load(taskId: string): Promise<Snapshot | undefined> {
    const task = await this.serving.database?.loadTask(taskId);
    return task && { foldVersion, task };
  }

  async loadDocument(
    taskId: string,
    { messages }: { messages: number },
  ): Promise<SnapshotWithDocument | undefined> {
    const stored = await this.serving.database?.loadDocument(taskId, { messages, artifacts: true });
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
}
