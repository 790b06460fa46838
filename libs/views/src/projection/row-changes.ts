import {
  type CancellationEvent,
  type ChildLink,
  knownCommandsMax,
  type LateEvent,
  type Recorded,
  type RecordedTaskEvent,
} from '#domain';
import type { Position } from '#event-store';
import {
  type CancellationMove,
  type CancellationRow,
  type ChunkReplacement,
  type CommandRow,
  type EndedTimer,
  type LinkRow,
  placeOf,
  type RowBatch,
  type SetAsideRow,
  type TaskRow,
  type TaskUpdate,
  type TimerRow,
} from '../store/index.js';
import { moveOf, openedRow, rootRow } from './cancellation-rows.js';
import { timerChanges } from './timer-rows.js';
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
  readonly timers: TimerRow[] = [];
  readonly endedTimers: EndedTimer[] = [];
  readonly cancellations: CancellationRow[] = [];
  readonly cancellationMoves: CancellationMove[] = [];
  readonly setAside: SetAsideRow[] = [];
  readonly adopted: { taskId: string; parentId: string }[] = [];

  /** Rows that single events bring, beside those of the task itself. */
  addFacts(event: RecordedTaskEvent, { task }: TouchedTask, position: Position): void {
    switch (event.type) {
      case 'ChildLinked':
        if (task) this.#addLink(task.taskId, event, { position, late: false });
        return;
      case 'CancellationRequested':
      case 'TaskCanceled': {
        const row = task && rootRow(task, event, position);
        if (row) this.cancellations.push(row);
        return;
      }
      default:
        return;
    }
  }

  addLate(event: Recorded<LateEvent>, position: Position): void {
    if (event.type === 'LateChildLinked')
      this.#addLink(event.data.parentTaskId, event, { position, late: true });
  }

  addCancellation(cancellationId: string, event: Recorded<CancellationEvent>, position: Position): void {
    if (event.type === 'CancellationOpened') this.cancellations.push(openedRow(event, position));
    const move = moveOf(cancellationId, event);
    if (move) this.cancellationMoves.push(move);
  }

  /** The rows alone. */
  rows(): Rows {
    const { inserted, updated, messages, chunks, replacements, commands, movedCommands } = this;
    const { forgottenBelow, links, setAside, adopted } = this;
    const { timers, endedTimers, cancellations, cancellationMoves } = this;
    return {
      ...{ inserted, updated, messages, chunks, replacements, commands, movedCommands },
      ...{ forgottenBelow, links, setAside, adopted },
      ...{ timers, endedTimers, cancellations, cancellationMoves },
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
    this.#addTimers(touched);
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

  #addTimers({ taskId, taskKey, task, before }: TouchedTask): void {
    for (const { kind, timer } of timerChanges(before?.task, task)) {
      if (timer === undefined) this.endedTimers.push({ taskKey, kind });
      else this.timers.push({ taskKey, kind, taskId, ...timer });
    }
  }

  #addLink(
    parentId: string,
    { data, revision }: { readonly data: { readonly child: ChildLink }; readonly revision: number },
    place: Pick<LinkRow, 'position' | 'late'>,
  ): void {
    const { taskId: childId, policy, onEnd, graceMs = null } = data.child;
    this.links.push({ parentId, childId, policy, onEnd, graceMs, revision, ...place });
  }
}

const commandsKept = knownCommandsMax;

const isReordered = ({ before, task }: TouchedTask): boolean =>
  before?.task.statusRevision !== task?.statusRevision ||
  before?.task.parent?.taskId !== task?.parent?.taskId;
