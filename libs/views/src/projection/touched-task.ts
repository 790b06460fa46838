import {
  artifactOf,
  emptyDocument,
  evolve,
  evolveDocument,
  flagUnreadable,
  type KnownCommand,
  type Link,
  type RecordedTaskEvent,
  rowStatusOf,
  type Task,
  type TaskDocument,
} from '#domain';
import { type DecodedEvent } from '#application';
import type { Position } from '#event-store';
import { type ChunkRow, type MessageRow, placeOf, type StoredFold, type TaskRow } from '../store/index.js';

type Unreadable = Extract<DecodedEvent, { kind: 'unreadable' }>;

/** A task while a run of events is folded: what it was, what it is, and the content it got. */
export class TouchedTask {
  readonly messages: MessageRow[] = [];
  readonly chunks: ChunkRow[] = [];
  /** Artifacts that began anew, by the place of their first chunk. */
  readonly replaced: { readonly artifactId: string; readonly place: number }[] = [];
  task: Task | undefined;
  heading: TaskDocument;
  validFrom: Position = '';

  constructor(
    readonly taskId: string,
    readonly taskKey: number,
    readonly before: StoredFold | undefined,
  ) {
    this.task = before?.task;
    this.heading = before?.heading ?? emptyDocument;
  }

  /** Answers whether the event moved the task on; one that was folded before, or follows an unreadable one, does not. */
  fold(event: RecordedTaskEvent, position: Position): boolean {
    const { task } = this;
    if (task === undefined && event.type !== 'TaskSubmitted') {
      this.flag(event, position);
      return true;
    }
    const next = evolve(task, event);
    if (next === task) return false;
    this.task = next;
    this.validFrom = position;
    if (event.type === 'ArtifactRecorded') this.#keepChunk(event, task);
    else this.#keepDocument(event);
    return true;
  }

  flag(
    event: Pick<Unreadable, 'revision' | 'type' | 'metadata'> & { readonly id: string },
    position: Position,
  ): void {
    const { revision, type, id, metadata } = event;
    const origin = { taskId: this.taskId, id, ...(metadata && { metadata }) };
    const next = flagUnreadable(this.task, { revision, type }, origin);
    if (next === this.task) return;
    this.task = next;
    this.validFrom = position;
  }

  /** The chunk itself is kept; the domain joins chunks when they are read. */
  #keepChunk(
    { data, revision }: Extract<RecordedTaskEvent, { type: 'ArtifactRecorded' }>,
    before: Task | undefined,
  ): void {
    const place = placeOf(this.taskKey, revision);
    const { artifactId, append } = data;
    this.chunks.push({ place, artifactId, append, artifact: JSON.stringify(data.content.body.artifact) });
    const known = before !== undefined && artifactOf(before, artifactId) !== undefined;
    if (known && !append) this.replaced.push({ artifactId, place });
  }

  /** Folded on a document without messages, so that what the event brought is all there is in it. */
  #keepDocument(event: RecordedTaskEvent): void {
    const { messages, ...rest } = evolveDocument(this.heading, event);
    for (const { revision, message } of messages)
      this.messages.push({ place: placeOf(this.taskKey, revision), message: JSON.stringify(message) });
    this.heading = { ...rest, messages: [] };
  }

  /** The commands that came with these events; `moved`: the one before them that they continue. */
  commands(): { readonly added: readonly KnownCommand[]; readonly moved?: KnownCommand } {
    const before = this.before?.task;
    const added = (this.task?.commands ?? []).filter(({ revision }) => revision > (before?.revision ?? -1));
    const last = before?.commands.at(-1);
    const continued = added.some(({ commandId }) => commandId === last?.commandId);
    return { added, ...(last !== undefined && continued && { moved: last }) };
  }
}

const linkText = (link: Link): string => {
  switch (link.kind) {
    case 'run':
      return `run:${link.id}`;
    case 'subagent':
      return `subagent:${link.handle}`;
    case 'turn':
      return `turn:${link.contextId}`;
  }
};

/** Of its commands a fold goes on with the newest, of its children with none: these have rows of their own. */
export const withoutRows = (task: Task): Task =>
  task.commands.length > 1 || task.children.length > 0
    ? { ...task, commands: task.commands.slice(-1), children: [] }
    : task;

const headingText = ({ metadata, reason }: TaskDocument): string | null =>
  metadata === undefined && reason === undefined ? null : JSON.stringify({ metadata, reason });

export const rowOfTouched = ({ taskKey, taskId, validFrom, heading }: TouchedTask, task: Task): TaskRow => ({
  taskKey,
  taskId,
  tenant: task.tenant,
  owner: task.owner,
  contextId: task.contextId,
  state: task.state,
  status: rowStatusOf(task.state),
  stoppedBy: task.stoppedBy ?? null,
  statusAt: task.statusAt,
  updatedAt: task.updatedAt,
  parentId: task.parent?.taskId ?? null,
  rootId: task.parent === undefined ? null : task.rootTaskId,
  link: task.link === undefined ? null : linkText(task.link),
  revision: task.revision,
  validFrom,
  fold: JSON.stringify(withoutRows(task)),
  heading: headingText(heading),
});
