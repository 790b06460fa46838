import { knownCommandsMax, type LateEvent, type RecordedTaskEvent } from '#domain';
import type { Position } from '#event-store';
import {
  type CancellationRootRow,
  type ChunkReplacement,
  type CommandRow,
  type LinkRow,
  placeOf,
  type RowBatch,
  type SetAsideRow,
  type TaskRow,
  type TaskUpdate,
} from '../store/index.js';
import { rowOfTouched, type TouchedTask } from './touched-task.js';

type Mutable<Batch> = { -readonly [Key in keyof Batch]: Batch[Key] };
type Rows = Omit<RowBatch, 'seen' | 'position' | 'eventId' | 'handled' | 'closedAt'>;

/** Rows while a run of events is folded. */
export class RowChanges implements Mutable<Rows> {
  readonly inserted: TaskRow[] = [];
  readonly updated: TaskUpdate[] = [];
  readonly messages: RowBatch['messages'][number][] = [];
  readonly chunks: RowBatch['chunks'][number][] = [];
  readonly replacements: ChunkReplacement[] = [];
  readonly commands: CommandRow[] = [];
  readonly movedCommands: number[] = [];
  readonly forgottenBelow: { taskKey: number; place: number }[] = [];
  readonly links: LinkRow[] = [];
  readonly cancellationRoots: CancellationRootRow[] = [];
  readonly setAside: SetAsideRow[] = [];
  readonly adopted: { taskId: string; parentId: string }[] = [];

  /** Rows that single events bring, beside those of the task itself. */
  addFacts(event: RecordedTaskEvent, taskId: string, position: Position): void {
    switch (event.type) {
      case 'ChildLinked':
        this.#addLink(taskId, event.data.child, position, false);
        return;
      case 'CancellationRequested':
      case 'TaskCanceled':
        // Whoever was asked ends by `user`; what the cancellation reaches below ends by `parent`.
        if (event.data.stoppedBy === 'user')
          this.cancellationRoots.push({
            cancellationId: event.data.cancellationId,
            rootTaskId: taskId,
            rootRevision: event.revision,
          });
        return;
      default:
        return;
    }
  }

  addLate(event: LateEvent, position: Position): void {
    if (event.type === 'LateChildLinked')
      this.#addLink(event.data.parentTaskId, event.data.child, position, true);
  }

  /** The rows alone. */
  rows(): Rows {
    const { inserted, updated, messages, chunks, replacements, commands, movedCommands } = this;
    const { forgottenBelow, links, cancellationRoots, setAside, adopted } = this;
    return {
      ...{ inserted, updated, messages, chunks, replacements, commands, movedCommands },
      ...{ forgottenBelow, links, cancellationRoots, setAside, adopted },
    };
  }

  addTask(touched: TouchedTask, position: Position): void {
    const { task, before, taskId } = touched;
    if (task === undefined || task === before?.task) return;
    const row = rowOfTouched(touched, task);
    if (before === undefined) this.inserted.push(row);
    else this.updated.push({ row, reordered: isReordered(touched) });
    this.messages.push(...touched.messages);
    this.chunks.push(...touched.chunks);
    for (const replaced of touched.replaced)
      this.replacements.push({ taskKey: touched.taskKey, ...replaced, at: position });
    this.#addCommands(touched);
    if (row.parentId !== null && row.parentId !== before?.task.parent?.taskId)
      this.adopted.push({ taskId, parentId: row.parentId });
  }

  #addCommands(touched: TouchedTask): void {
    const { taskKey, task, before } = touched;
    const { added, moved } = touched.commands();
    if (moved !== undefined) this.movedCommands.push(placeOf(taskKey, moved.revision));
    for (const { revision, commandId, requestHash } of added)
      this.commands.push({ place: placeOf(taskKey, revision), commandId, requestHash });
    const thousandsOf = (revision: number): number => Math.floor(revision / commandsKept);
    const now = thousandsOf(task?.revision ?? 0);
    // Whoever reads takes the newest of them; that there are not many more is enough here.
    if (added.length > 0 && now > 1 && now > thousandsOf(before?.task.revision ?? 0))
      this.forgottenBelow.push({ taskKey, place: placeOf(taskKey, (now - 1) * commandsKept) });
  }

  #addLink(
    parentId: string,
    { taskId: childId, policy, onEnd }: { taskId: string; policy: string; onEnd: string },
    position: Position,
    late: boolean,
  ): void {
    this.links.push({ parentId, childId, policy, onEnd, late, position });
  }
}

const commandsKept = knownCommandsMax;

const isReordered = ({ before, task }: TouchedTask): boolean =>
  before?.task.statusRevision !== task?.statusRevision ||
  before?.task.parent?.taskId !== task?.parent?.taskId;
