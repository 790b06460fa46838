import type { ServerResponse } from 'node:http';

const openSignal = (response: ServerResponse, drain: AbortSignal): AbortSignal => {
  const controller = new AbortController();
  const end = (): void => {
    drain.removeEventListener('abort', end);
    controller.abort();
  };
  response.once('close', end);
  drain.addEventListener('abort', end, { once: true });
  if (response.destroyed || response.closed || drain.aborted) end();
  return controller.signal;
};

/**
 * A signal that fires when the client goes away, the answer is done or the service stops; the SDK has none. It is
 * made only when it is asked for: most calls wait for nothing.
 */
export const callSignal = (response: ServerResponse, drain: AbortSignal): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  return () => (signal ??= openSignal(response, drain));
};
