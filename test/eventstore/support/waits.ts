import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '#event-store';

/** Looks again and again, for what no event tells. */
export const whenever = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await delay(5);
};

/** While a store is away it refuses appends; nothing of such a one was written. */
export const untilTaken = async <Answer>(append: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await delay(5);
    }
  }
};
