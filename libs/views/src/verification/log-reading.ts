import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventStore, Position, RecordedEvent } from '#event-store';

const logPageSize = 1_000;
const streamPageSize = 1_000;

/** Where a verification reads. */
export interface LogParts {
  readonly store: EventStore;
  readonly namespace: string;
}

/** Every event of the namespace, in log order, up to a position. */
export async function* eventsUntil(
  { store, namespace }: LogParts,
  end: Position,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let last: Position | undefined;
  for (;;) {
    const page = await store.readAll({
      limit: logPageSize,
      prefix: `${namespace}.`,
      ...(last !== undefined && { from: last }),
    });
    const newer = page.filter(({ position }) => last === undefined || position > last);
    for (const event of newer) {
      if (event.position > end) return;
      yield event;
    }
    last = newer.at(-1)?.position;
    if (last === undefined || page.length < logPageSize) return;
    await nextTurn();
  }
}

/** A stream page by page, without what stands beyond a position. */
export async function* pagesOfStream(
  { store }: LogParts,
  stream: string,
  end: Position,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let from = 0; ; from += streamPageSize) {
    const page = await store.readStream(stream, { from, limit: streamPageSize });
    yield page.filter(({ position }) => position <= end);
    if (page.length < streamPageSize) return;
    await nextTurn();
  }
}
