import type { EventStore, RecordedEvent } from '#event-store';

/** Events of one read: few, for one may have a megabyte. */
const eventsAtOnce = 200;

/** What can be read from one end to the other. */
export type ReadableLog = Pick<EventStore, 'readAll'>;

/** Every event under the prefix in log order, to where the log ends when it gets there. */
export async function* everyEvent(log: ReadableLog, prefix: string): AsyncGenerator<RecordedEvent> {
  for (let from: string | undefined; ;) {
    const page = await log.readAll({
      prefix,
      limit: eventsAtOnce,
      ...(from === undefined ? {} : { from }),
    });
    // A later page begins with the event that the one before ended with.
    yield* from === undefined ? page : page.slice(1);
    from = page.at(-1)?.position;
    if (page.length < eventsAtOnce || from === undefined) return;
  }
}
