import type { EventFrame, Ledger } from '#application';
import { isTerminal, type Caller } from '#domain';
import type { SseFrame } from '../http/event-stream.js';

/** Events that one read of a followed stream brings. */
const pageSize = 100;

/** A follower that was told of nothing asks the stream itself this often. */
const quietMsMax = 60_000;

const terminalTypes = new Set(['TaskCompleted', 'TaskFailed', 'TaskRejected', 'TaskCanceled', 'TaskStopped']);

const frameOf = (taskId: string, event: EventFrame): SseFrame => ({
  id: `${taskId}.${String(event.revision)}`,
  data: event,
});

/**
 * Every event of a task from `first`, then each new one, each once, until the terminal one. The live hub only says
 * that there is something to read: what is sent is always read from the stream, so a slow client costs no memory.
 */
export async function* followTask(
  ledger: Ledger,
  caller: Caller,
  taskId: string,
  first: number,
  signal: AbortSignal,
): AsyncGenerator<readonly SseFrame[]> {
  let from = first;
  while (!signal.aborted) {
    const page = { from, limit: pageSize, direction: 'forwards' } as const;
    const { events } = await ledger.reader.events(caller, taskId, page);
    const last = events.at(-1);
    if (last === undefined) {
      const { task } = await ledger.reader.read(caller, taskId, { messages: 0 });
      if (task.revision >= from) continue;
      if (isTerminal(task.state)) return;
      // The fold of a flagged task ends before its stream does.
      const known = task.unreadable === undefined ? task.revision : from - 1;
      await ledger.live.waitFor(taskId, known, () => true, { timeoutMs: quietMsMax, signal });
      continue;
    }
    yield events.map((event) => frameOf(taskId, event));
    // Asked for more, the client has these: an agent counts as told of a cancellation among them.
    ledger.live.sent(caller, events);
    if (terminalTypes.has(last.type)) return;
    from = last.revision + 1;
  }
}
