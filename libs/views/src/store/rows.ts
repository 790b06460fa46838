import type { DueTimer } from '#application';
import type { CancelMode } from '#domain';
import type { Position } from '#event-store';

/** Revisions below this fit one task; a task holds at most 100,000 events and the few that always pass. */
export const placesPerTask = 16_777_216;

/**
 * Where a row of a task's content stands: task by task, then by revision. One integer is key and order at once, so
 * content needs no second index, and the newest N rows of a task are one backwards scan.
 */
export const placeOf = (taskKey: number, revision: number): number => taskKey * placesPerTask + revision;

export const revisionAt = (place: number): number => place % placesPerTask;

/** A task as the view keeps it: the columns that lists filter and order by, and the fold itself. */
export interface TaskRow {
  /** Numbered in log order of first events, from 1. */
  readonly taskKey: number;
  readonly taskId: string;
  readonly tenant: string;
  readonly owner: string;
  readonly contextId: string;
  readonly state: string;
  readonly status: string;
  readonly stoppedBy: string | null;
  readonly statusAt: string;
  readonly updatedAt: string;
  readonly parentId: string | null;
  /** The root above now; null for a task without a parent. Adoptions above move it. */
  readonly rootId: string | null;
  /** `run:<id>`, `subagent:<handle>` or `turn:<contextId>`. */
  readonly link: string | null;
  /** Of the last event in it. */
  readonly revision: number;
  /** Position of that event. */
  readonly validFrom: Position;
  /** JSON of the fold, without what stands in rows of its own. */
  readonly fold: string;
  /** JSON of the document without messages and artifacts; null when there is nothing else in it. */
  readonly heading: string | null;
}

export interface MessageRow {
  readonly place: number;
  /** JSON of the message. */
  readonly message: string;
}

/** One artifact event: what it added to its artifact, or put in its place. */
export interface ChunkRow {
  readonly place: number;
  readonly artifactId: string;
  readonly append: boolean;
  /** JSON of the artifact as the event had it. */
  readonly artifact: string;
}

/** The chunks of an artifact before `place` are shown no longer. */
export interface ChunkReplacement {
  readonly taskKey: number;
  readonly artifactId: string;
  readonly place: number;
  readonly at: Position;
}

export interface CommandRow {
  readonly place: number;
  readonly commandId: string;
  readonly requestHash: string;
}

export interface LinkRow {
  readonly parentId: string;
  readonly childId: string;
  readonly policy: string;
  readonly onEnd: string;
  readonly graceMs: number | null;
  /** Of the announcement, in the parent's stream or in the one beside it. */
  readonly revision: number;
  readonly late: boolean;
  readonly position: Position;
}

/** A timer of an open task: one of a kind at most. */
export interface TimerRow {
  readonly taskKey: number;
  readonly kind: DueTimer['kind'];
  readonly taskId: string;
  /** Milliseconds since 1970, for instants beyond the year 9999 do not sort as text. */
  readonly dueAt: number;
  readonly cancellationId: string | null;
}

export type EndedTimer = Pick<TimerRow, 'taskKey' | 'kind'>;

/** A cancellation as its first fact tells it: its root's own event, or its opening. */
export interface CancellationRow {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  /** Null where the root itself is no node. */
  readonly rootRevision: number | null;
  readonly tenant: string;
  readonly owner: string;
  /** Never changes: lists are in this order. */
  readonly requestedAt: string;
  readonly principal: string;
  readonly role: string;
  readonly via: string;
  readonly requestId: string | null;
  readonly mode: CancelMode;
  readonly descendantsOnly: boolean;
  readonly parentEnded: boolean;
  readonly reason: string | null;
  readonly position: Position;
}

/**
 * What the cancellation's own stream does to its status. `reopened`: a line came; `wroteLate`: a worker that had
 * acknowledged wrote once more, so that the certificate is no longer confirmed.
 */
export interface CancellationMove {
  readonly cancellationId: string;
  readonly to: 'reopened' | 'settled' | 'confirmed' | 'wroteLate';
  readonly at: string;
}

export interface SetAsideRow {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly error: string;
}

/** A task row that replaces the one before it. */
export interface TaskUpdate {
  readonly row: TaskRow;
  /** Whether a column of an index has changed. */
  readonly reordered: boolean;
}

/** Everything that a run of events changes in a view, written in one transaction with its position. */
export interface RowBatch {
  /** Where the view must stand for this batch to be written. */
  readonly seen: Position;
  readonly position: Position;
  readonly eventId: string;
  /** Events in it. */
  readonly handled: number;
  /** Milliseconds of the wall clock: versions closed by this batch live on from here. */
  readonly closedAt: number;
  readonly inserted: readonly TaskRow[];
  readonly updated: readonly TaskUpdate[];
  readonly messages: readonly MessageRow[];
  readonly chunks: readonly ChunkRow[];
  readonly replacements: readonly ChunkReplacement[];
  readonly commands: readonly CommandRow[];
  /** Places of commands that moved on to a later event, or were forgotten. */
  readonly movedCommands: readonly number[];
  /** Commands of a task below a place are forgotten. */
  readonly forgottenBelow: readonly { readonly taskKey: number; readonly place: number }[];
  readonly links: readonly LinkRow[];
  readonly timers: readonly TimerRow[];
  readonly endedTimers: readonly EndedTimer[];
  readonly cancellations: readonly CancellationRow[];
  /** In log order; after the rows of this batch. */
  readonly cancellationMoves: readonly CancellationMove[];
  readonly setAside: readonly SetAsideRow[];
  /** Tasks that got a parent, at their birth or later: they and what is below them have its root. */
  readonly adopted: readonly { readonly taskId: string; readonly parentId: string }[];
}
