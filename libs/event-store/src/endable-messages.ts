import type { SubscriptionMessage } from './port.js';

/**
 * An iterator that can be left while it waits: a generator alone cannot. `messages` is given the signal that ends it,
 * which fires with `outer`, when the consumer leaves, and at its own end.
 */
export const endableMessages = (
  outer: AbortSignal | undefined,
  messages: (signal: AbortSignal) => AsyncIterable<SubscriptionMessage>,
): AsyncIterator<SubscriptionMessage> => {
  const ending = new AbortController();
  const end = (): void => {
    outer?.removeEventListener('abort', end);
    ending.abort();
  };
  if (outer?.aborted === true) end();
  else outer?.addEventListener('abort', end);
  const ended = untilEnded(messages(ending.signal), end);
  return {
    next: () => ended.next(),
    // A generator that waits cannot be left: the wait is ended first.
    return: () => {
      end();
      return ended.return();
    },
  };
};

async function* untilEnded<T>(
  messages: AsyncIterable<T>,
  end: () => void,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* messages;
  } finally {
    end();
  }
}
