import type { EventStoreDbOptions } from '#event-store';

/** A tenth of what the service waits, and less: the same rules, sooner. Milliseconds. */
export const shortTimings: NonNullable<EventStoreDbOptions['timings']> = {
  call: 4_000,
  appendAttempt: 300,
  readAttempt: 600,
  silence: 400,
  silenceOfOneKind: 800,
  look: 50,
  away: 200,
  probe: 20,
  probeMax: 100,
  probeCall: 400,
  retry: 5,
  retryMax: 50,
  staleAnswers: [0, 50, 100],
  dispose: 200,
  trouble: 500,
  subscription: {
    retry: 10,
    retryMax: 100,
    check: 100,
    undelivered: 300,
    stalled: 500,
  },
};
