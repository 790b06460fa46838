import type { EventStore, Position } from '#event-store';

/** Events that are counted; who is further behind is far behind. */
const countMax = 4_096;

/** Events of the log after a position, for positions are not dense; at most {@link countMax}. Empty: from its start. */
export const eventsAfter = async (
  store: EventStore,
  prefix: string,
  position: Position | '',
): Promise<number> => {
  const from = position === '' ? {} : { from: position };
  const ahead = await store.readAll({ limit: countMax, prefix, ...from });
  return ahead.filter((event) => event.position > position).length;
};
