import type { History, LoggedEvent, Operation, WriteOperation } from './operations.js';
import { Rising } from './rising.js';
import { storiesOf, type Story } from './task-story.js';

/** Revisions at which a task can have stood while it was looked at. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What everybody could know, and when: the log beside what was answered. */
export class Knowledge {
  readonly stories: ReadonlyMap<string, Story>;
  readonly marked = new Map<string, LoggedEvent[]>();
  readonly attempts = new Map<string, WriteOperation[]>();
  readonly #acknowledged = new Map<string, Rising<number>>();
  readonly #shown = new Map<string, Rising<number>>();
  readonly #appendedBy = new Map<string, Rising<string>>();

  constructor(readonly history: History) {
    this.stories = storiesOf(history.log);
    for (const event of history.log) this.#note(event);
    for (const operation of history.operations) this.#learn(operation);
  }

  story(taskId: string): Story {
    return this.stories.get(taskId) ?? [];
  }

  /** The events of a write, in log order. A parent's `ChildLinked` is told by another rule. */
  eventsOf(mark: string): readonly LoggedEvent[] {
    return this.marked.get(mark) ?? [];
  }

  /** The highest revision that a write was told before `instant`; -1 before the first. */
  acknowledged(taskId: string, instant: number): number {
    return this.#acknowledged.get(taskId)?.before(instant) ?? -1;
  }

  /** The same of any answer that was not marked as stale. */
  shown(taskId: string, instant: number): number {
    return Math.max(this.acknowledged(taskId, instant), this.#shown.get(taskId)?.before(instant) ?? -1);
  }

  /** The last revision that can have been there at `instant`: nothing after it had been asked for, -1 with none. */
  possible(taskId: string, instant: number): number {
    const story = this.story(taskId);
    const beyond = story.findIndex(({ event }) => this.firstAsked(event.mark) > instant);
    return (beyond < 0 ? story.length : beyond) - 1;
  }

  window(taskId: string, { begin, end }: Operation): Window {
    return { from: this.shown(taskId, begin), to: this.possible(taskId, end) };
  }

  /** When a write was asked for the first time; long ago, where the ledger itself wrote. */
  firstAsked(mark: string | undefined): number {
    const attempts = mark === undefined ? undefined : this.attempts.get(mark);
    return attempts === undefined ? -Infinity : Math.min(...attempts.map(({ begin }) => begin));
  }

  /** Position of the newest event that an instance had acknowledged before `instant`. */
  appendedBy(instance: string, instant: number): string | undefined {
    return this.#appendedBy.get(instance)?.before(instant);
  }

  isExcused({ begin, end }: Operation): boolean {
    return (this.history.excuses ?? []).some(({ from, to }) => begin <= to && end >= from);
  }

  #note(event: LoggedEvent): void {
    const { mark, stream, type } = event;
    if (mark === undefined || stream !== 'task' || type === 'ChildLinked') return;
    listIn(this.marked, mark).push(event);
  }

  #learn(operation: Operation): void {
    if (operation.kind === 'write') listIn(this.attempts, operation.mark).push(operation);
    if (operation.answer.kind !== 'done') return;
    switch (operation.kind) {
      case 'write':
        this.#learnWrite(operation, operation.answer.said);
        break;
      case 'read':
        if (operation.asOf === undefined && !operation.answer.said.stale)
          risingIn(this.#shown, operation.taskId).tell(operation.end, operation.answer.said.revision);
        break;
      case 'events':
        if (!operation.answer.said.stale)
          risingIn(this.#shown, operation.taskId).tell(operation.end, operation.answer.said.ids.length - 1);
        break;
      case 'list':
        break;
    }
  }

  #learnWrite(
    { end, instance }: WriteOperation,
    { taskId, revision, position }: { taskId: string; revision: number; position?: string },
  ): void {
    risingIn(this.#acknowledged, taskId).tell(end, revision);
    if (position !== undefined) risingIn(this.#appendedBy, instance).tell(end, position);
  }
}

const listIn = <Value>(lists: Map<string, Value[]>, key: string): Value[] => {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
};

const risingIn = <Value extends number | string>(
  all: Map<string, Rising<Value>>,
  key: string,
): Rising<Value> => {
  const rising = all.get(key) ?? new Rising<Value>();
  all.set(key, rising);
  return rising;
};
