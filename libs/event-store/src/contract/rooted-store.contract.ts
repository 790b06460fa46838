import { WrongExpectedRevisionError } from '../errors.js';
import type { EventStore, RecordedEvent, Subscription } from '../port.js';

/**
 * A store that looks empty on a server that is not: every name and prefix of a test is put under `root`, and taken
 * from under it again. An empty stream name stays one, for it must be refused.
 */
export const rootedStore = (store: EventStore, root: string): EventStore => {
  const under = (stream: string): string => (stream === '' ? stream : root + stream);
  const seen = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    stream: event.stream.slice(root.length),
  });
  return {
    append: async (stream, events, expected) => {
      try {
        return await store.append(under(stream), events, expected);
      } catch (error) {
        throw error instanceof WrongExpectedRevisionError
          ? new WrongExpectedRevisionError(stream, error.expected, error.actual)
          : error;
      }
    },
    readStream: async (stream, options) => (await store.readStream(under(stream), options)).map(seen),
    readAll: async (options) =>
      (await store.readAll({ ...options, prefix: root + options.prefix })).map(seen),
    subscribe: (options) => mapped(store.subscribe({ ...options, prefix: root + options.prefix }), seen),
    head: (prefix) => store.head(root + prefix),
    health: () => store.health(),
    close: () => store.close(),
  };
};

/** Message by message, so that leaving and waiting stay what they are. */
const mapped = (subscription: Subscription, seen: (event: RecordedEvent) => RecordedEvent): Subscription => ({
  [Symbol.asyncIterator]: () => {
    const messages = subscription[Symbol.asyncIterator]();
    return {
      next: async () => {
        const next = await messages.next();
        if (next.done === true || next.value.kind === 'live') return next;
        return { done: false, value: { kind: 'events', events: next.value.events.map(seen) } };
      },
      return: () => messages.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
  },
});
