import { invalid, type Task } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { TimelineEntry } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
import { changeOf } from '../folds/change.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { Positions } from '../positions.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import { bringsMessage, timelineEntryOf } from './timeline.js';

export interface TimelinePage {
  readonly after?: number;
  readonly afterMessage?: string;
  readonly limit: number;
}

export interface TimelineParts {
  readonly loader: TaskLoader;
  readonly reader: StreamReader;
  readonly names: StreamNames;
  readonly positions: Positions;
}

/** Reads a task's history page by page, message by message (C50). */
export class Timelines {
  constructor(private readonly parts: TimelineParts) {}

  async of(
    taskId: string,
    page: TimelinePage,
  ): Promise<{ readonly entries: readonly TimelineEntry[]; readonly next?: number }> {
    const after = await this.#start(taskId, page);
    const before = after < 0 ? undefined : await this.parts.loader.asOf(taskId, after);
    const stream = this.parts.names.task(taskId);
    // One more than asked for says whether there is another page.
    const recorded = await this.parts.reader.page(stream, after + 1, page.limit + 1);
    const entries = this.#entries(recorded.slice(0, page.limit), before);
    const last = entries.at(-1);
    return { entries, ...(recorded.length > page.limit && last !== undefined && { next: last.revision }) };
  }

  /** Revision of the last event before the page. */
  async #start(taskId: string, { after = -1, afterMessage }: TimelinePage): Promise<number> {
    if (afterMessage === undefined) return after;
    for await (const recorded of this.parts.reader.pages(this.parts.names.task(taskId), 0)) {
      for (const event of recorded) {
        const decoded = decodeRecorded(event, this.parts.names);
        if (decoded.kind === 'task' && bringsMessage(decoded.event, afterMessage)) return event.revision;
      }
    }
    throw invalid('afterMessage', 'no such message in this task');
  }

  #entries(recorded: readonly RecordedEvent[], start: Task | undefined): TimelineEntry[] {
    const entries: TimelineEntry[] = [];
    let before = start;
    for (const event of recorded) {
      const change = changeOf(before, event, this.parts.names);
      // A history that cannot be read on ends where it could be read last.
      if (change === undefined) return entries;
      entries.push(timelineEntryOf(change, before, this.parts.positions.toEdge(event.position)));
      before = change.task;
    }
    return entries;
  }
}
