import { setTimeout as delay } from 'node:timers/promises';

const pollEveryMs = 25;

/** Asks until the answer is there; for what no stream announces (a rebuild, a gauge). Fails after `limitMs`. */
export const eventually = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  limitMs = 15_000,
): Promise<Value> => {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${String(limitMs)} ms`);
    await delay(pollEveryMs);
  }
};

/** Runs `work(0 … count - 1)`, `width` at a time, and answers in order. */
export const inParallel = async <Value>(
  count: number,
  width: number,
  work: (index: number) => Promise<Value>,
): Promise<Value[]> => {
  const results: Value[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
  return results;
};
