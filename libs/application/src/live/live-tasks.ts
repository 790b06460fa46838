import { isTerminal, type Caller } from '#domain';
import type { EventFrame, LiveTasks, TaskChange } from '../application.js';
import { asDomainError } from '../store/failures.js';
import { noticeIn, noticesIn } from '../workers/notices-in.js';
import type { WorkerNotices } from '../workers/worker-notices.js';
import { TaskChanges, type ChangesParts } from './changes.js';
import { Outage } from './outages.js';
import { feedOf, type FeedOptions, type FeedParts } from './feed.js';
import type { LiveHub } from './live-hub.js';
import type { WakeUp } from './wake-up.js';
import { wakeUpOf, withinTime } from './wakes.js';

/** Watches, waits and feeds, all of them fed from the log. */
export class LogFedTasks implements LiveTasks {
  #open = 0;

  constructor(
    private readonly hub: LiveHub,
    private readonly parts: ChangesParts & FeedParts,
    private readonly notices: WorkerNotices,
  ) {}

  get open(): number {
    return this.#open;
  }

  async *watch(
    taskId: string,
    revision: number,
    signal: AbortSignal,
    to?: Caller,
  ): AsyncGenerator<TaskChange> {
    const over = new AbortController();
    const wake = this.#wakeUp(taskId, signal, over);
    try {
      for await (const change of this.#changes(taskId, revision, wake, over.signal)) {
        yield change;
        // Asked for the next one, whoever watches has this one.
        if (to !== undefined) this.notices.handed(to, 'stream', noticeIn(taskId, change.event));
      }
    } catch (error) {
      throw asDomainError(error);
    } finally {
      wake.close();
    }
  }

  async waitFor(
    taskId: string,
    revision: number,
    until: (change: TaskChange) => boolean,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<void> {
    await withinTime(options, async (over) => {
      for await (const change of this.watch(taskId, revision, over)) if (until(change)) return;
    });
  }

  sent(to: Caller, frames: readonly EventFrame[]): void {
    this.notices.handed(to, 'stream', noticesIn(frames));
  }

  async *feed(caller: Caller, options: FeedOptions): AsyncGenerator<readonly EventFrame[]> {
    const over = new AbortController();
    const end = (): void => {
      if (over.signal.aborted) return;
      this.#open -= 1;
      over.abort();
    };
    this.#open += 1;
    options.signal.addEventListener('abort', end);
    const closing = this.hub.onClose(end);
    if (options.signal.aborted) end();
    try {
      for await (const frames of feedOf(this.parts, caller, { ...options, signal: over.signal })) {
        yield frames;
        this.notices.handed(caller, 'feed', noticesIn(frames));
      }
    } catch (error) {
      throw asDomainError(error);
    } finally {
      options.signal.removeEventListener('abort', end);
      closing();
      end();
    }
  }

  #wakeUp(taskId: string, signal: AbortSignal, over: AbortController): WakeUp {
    this.#open += 1;
    return wakeUpOf(this.hub, this.parts.names.task(taskId), signal, () => {
      this.#open -= 1;
      over.abort();
    });
  }

  /** A store that is away is waited for: nothing is missed, for everything is asked for by its revision. */
  async *#changes(
    taskId: string,
    revision: number,
    wake: WakeUp,
    over: AbortSignal,
  ): AsyncGenerator<TaskChange> {
    const changes = new TaskChanges(this.parts, taskId, revision);
    const outage = new Outage(over);
    let last = revision;
    while (!wake.closed) {
      const page = await nextOf(changes, wake.seen, outage);
      if (page === undefined) continue;
      // Seen in the log, and not in this answer of it: a server that was deposed has not heard of it.
      if (page.length === 0 && wake.seen > last) await outage.moment();
      for (const change of page) {
        if (wake.closed) return;
        last = change.event.revision;
        yield change;
      }
      if (changes.task !== undefined && isTerminal(changes.task.state)) return;
      if (!changes.more) await wake.beyond(last);
    }
  }
}

/** The next changes; undefined where the store was away. */
const nextOf = async (
  changes: TaskChanges,
  seen: number,
  outage: Outage,
): Promise<readonly TaskChange[] | undefined> => {
  try {
    const page = await changes.next(seen);
    outage.over();
    return page;
  } catch (error) {
    await outage.waitOut(error);
    return undefined;
  }
};
