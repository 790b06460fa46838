import { evolve, evolveDocument, foldVersion, type Task, type TaskDocument } from '#domain';
import type { EventStore } from '#event-store';
import { decodeEvent, type Snapshots, type SnapshotWithDocument } from '../src/index.js';

/** A view in memory that is as far behind as the test lets it be. */
export class MemorySnapshots implements Snapshots {
  readonly distrusted: string[] = [];
  readonly tasks = new Map<string, { task: Task; document: TaskDocument }>();
  loads = 0;
  #from: string | undefined;

  constructor(private readonly store: EventStore) {}

  /** Folds everything that is in the log now. */
  async catchUp(): Promise<void> {
    const from = this.#from === undefined ? {} : { from: this.#from };
    const page = await this.store.readAll({ ...from, limit: 4_096, prefix: 'ledger.task-' });
    for (const recorded of page) {
      if (recorded.position === this.#from) continue;
      const decoded = decodeEvent(recorded, 'ledger');
      if (decoded.kind !== 'task') continue;
      const held = this.tasks.get(decoded.taskId);
      const document = evolveDocument(held?.document, decoded.event);
      this.tasks.set(decoded.taskId, { task: evolve(held?.task, decoded.event), document });
    }
    this.#from = page.at(-1)?.position ?? this.#from;
  }

  async load(taskId: string) {
    await Promise.resolve();
    this.loads += 1;
    const held = this.tasks.get(taskId);
    return held && { foldVersion, task: held.task };
  }

  async loadDocument(
    taskId: string,
    { messages }: { messages: number },
  ): Promise<SnapshotWithDocument | undefined> {
    await Promise.resolve();
    this.loads += 1;
    const held = this.tasks.get(taskId);
    if (held === undefined) return undefined;
    const { task, document } = held;
    const others = document.messages
      .filter(({ revision }) => revision !== task.statusRevision)
      .slice(-messages);
    const status = document.messages.filter(({ revision }) => revision === task.statusRevision);
    const kept = [...others, ...status].sort((one, other) => one.revision - other.revision);
    return { foldVersion, task, document: { ...document, messages: kept } };
  }

  distrust(taskId: string): void {
    this.distrusted.push(taskId);
  }
}
