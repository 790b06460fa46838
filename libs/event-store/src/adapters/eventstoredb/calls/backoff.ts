import type { StoreTimings } from '../limits.js';

/** The pause before try number `tried` + 1: it doubles up to a most, and half of it is chance. Milliseconds. */
export const backoff = (
  { retry, retryMax }: Pick<StoreTimings, 'retry' | 'retryMax'>,
  tried: number,
  chance: () => number = Math.random,
): number => {
  const whole = Math.min(retry * 2 ** tried, retryMax);
  return whole / 2 + chance() * (whole / 2);
};
