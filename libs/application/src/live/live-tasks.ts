import { isTerminal, type Caller } from '#domain';
import type { EventFrame, LiveTasks, TaskChange } from '../application.js';
import { asDomainError } from '../store/failures.js';
import { TaskChanges, type ChangesParts } from './changes.js';
import { feedOf, type FeedOptions, type FeedParts } from './feed.js';
import type { LiveHub } from './live-hub.js';
import { WakeUp } from './wake-up.js';

/** Watches, waits and feeds, all of them fed from the log. */
export class LogFedTasks implements LiveTasks {
  #open = 0;

  constructor(
    private readonly hub: LiveHub,
    private readonly parts: ChangesParts & FeedParts,
  ) {}

  get open(): number {
    return this.#open;
  }

  async *watch(taskId: string, revision: number, signal: AbortSignal): AsyncGenerator<TaskChange> {
    const wake = this.#wakeUp(taskId, signal);
    try {
      yield* this.#changes(taskId, revision, wake);
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
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<void> {
    const over = new AbortController();
    const end = (): void => {
      over.abort();
    };
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    try {
      for await (const change of this.watch(taskId, revision, over.signal)) if (until(change)) return;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
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
      yield* feedOf(this.parts, caller, { ...options, signal: over.signal });
    } catch (error) {
      throw asDomainError(error);
    } finally {
      options.signal.removeEventListener('abort', end);
      closing();
      end();
    }
  }

  #wakeUp(taskId: string, signal: AbortSignal): WakeUp {
    this.#open += 1;
    return new WakeUp(this.hub.revisions(taskId), signal, () => {
      this.#open -= 1;
      this.hub.release(taskId);
    });
  }

  async *#changes(taskId: string, revision: number, wake: WakeUp): AsyncGenerator<TaskChange> {
    const changes = new TaskChanges(this.parts, taskId, revision);
    let last = revision;
    while (!wake.closed) {
      const page = await changes.next(wake.seen);
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
