import {
  evolve,
  evolveDocumentAll,
  flagUnreadable,
  type RecordedTaskEvent,
  type Task,
  type TaskDocument,
} from '#domain';
import type { Position, RecordedEvent } from '#event-store';
import type { TaskChange } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
import type { StreamNames } from '../streams.js';
import { tailEventsMax } from './hot-folds.js';

/** Where a fold begins: at nothing, or at what a snapshot holds. */
export interface FoldStart {
  readonly task?: Task;
  readonly document?: TaskDocument;
  /** Whether messages and artifacts are folded too. */
  readonly content: boolean;
  /** Revision of an event whose position is wanted, should it be read. */
  readonly at?: number;
}

/** Folds the events of one task's stream page by page, and keeps the newest of them. */
export class StreamFold {
  task: Task | undefined;
  document: TaskDocument | undefined;
  /** Of the event that was asked for, once it was read. */
  position: Position | undefined;
  #tail: TaskChange[] = [];
  readonly #content: boolean;
  readonly #at: number | undefined;

  constructor(
    private readonly taskId: string,
    private readonly names: StreamNames,
    start: FoldStart,
  ) {
    this.task = start.task;
    this.document = start.document;
    this.#content = start.content;
    this.#at = start.at;
  }

  get tail(): readonly TaskChange[] {
    return this.#tail;
  }

  /** The first unreadable event ends the fold: nothing above it is folded, however readable it is. */
  get ended(): boolean {
    return this.task?.unreadable !== undefined;
  }

  /** The event that a snapshot was folded to, which is read again to verify it. */
  seed(recorded: RecordedEvent, task: Task): void {
    const decoded = decodeRecorded(recorded, this.names);
    if (decoded.kind === 'task') this.#tail.push({ event: decoded.event, task });
  }

  /** What was read, folded or not. */
  read(page: readonly RecordedEvent[]): void {
    if (this.#at === undefined || this.position !== undefined) return;
    this.position = page.find(({ revision }) => revision === this.#at)?.position;
  }

  addPage(page: readonly RecordedEvent[]): void {
    const events: RecordedTaskEvent[] = [];
    for (const recorded of page) {
      if (this.ended) break;
      const event = this.#add(recorded);
      if (event !== undefined) events.push(event);
    }
    if (this.#content && events.length > 0) this.document = evolveDocumentAll(this.document, events);
  }

  /** The typed event, when it could be read and was folded. */
  #add(recorded: RecordedEvent): RecordedTaskEvent | undefined {
    const decoded = decodeRecorded(recorded, this.names);
    if (decoded.kind !== 'task') {
      const { metadata } = decoded.kind === 'unreadable' ? decoded : { metadata: undefined };
      const bytes = Buffer.byteLength(recorded.data) + Buffer.byteLength(recorded.metadata);
      const origin = { taskId: this.taskId, id: recorded.id, bytes, ...(metadata && { metadata }) };
      this.task = flagUnreadable(this.task, recorded, origin);
      return undefined;
    }
    this.task = evolve(this.task, decoded.event);
    this.#keep({ event: decoded.event, task: this.task });
    return decoded.event;
  }

  #keep(change: TaskChange): void {
    this.#tail.push(change);
    // Cut by halves: taking the first away for each event would move the whole list each time.
    if (this.#tail.length >= 2 * tailEventsMax) this.#tail = this.#tail.slice(-tailEventsMax);
  }
}
