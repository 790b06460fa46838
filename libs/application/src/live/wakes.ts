import type { LiveHub } from './live-hub.js';
import { WakeUp } from './wake-up.js';

/** Runs a wait that ends with the time, with the signal of whoever waits, or by itself. */
export const withinTime = async (
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  wait: (over: AbortSignal) => Promise<void>,
): Promise<void> => {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  try {
    await wait(over.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
};

/** Wakes a waiter when a stream has come on. */
export const wakeUpOf = (hub: LiveHub, stream: string, signal: AbortSignal, released?: () => void): WakeUp =>
  new WakeUp(hub.revisions(stream), signal, () => {
    released?.();
    hub.release(stream);
  });
