import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { check } from './checker/check.js';
import { type Fault, runHistory } from './clients/run.js';
import { TwoInstances } from './support/two-instances.js';

/** A liveness limit for a busy machine; ten seconds on an idle one. */
const limitMs = 180_000;

describe('eight clients on two instances', () => {
  let two: TwoInstances;
  beforeAll(async () => {
    two = await TwoInstances.start();
  }, limitMs);
  afterAll(() => two?.stop());

  /** A real server is not broken here. */
  const faultsOfTheStore = (): readonly Fault[] =>
    process.env.LEDGER_TEST_EVENTSTORE !== undefined
      ? []
      : [
          { what: 'replies are lost', inject: () => two.emulator.fault('swallowReplies', { count: 4 }) },
          // What follows the log is behind it from here on: nothing may be decided on what it has not told.
          {
            what: 'subscriptions fall silent',
            inject: () => two.emulator.fault('silenceSubscriptions'),
          },
          { what: 'connections are lost', inject: () => two.emulator.fault('dropConnections') },
          { what: 'and speak again', inject: () => two.emulator.fault('resumeSubscriptions') },
          {
            what: 'it is no leader for a moment',
            inject: () => two.emulator.fault('answer', 'not-leader', { calls: 6 }),
          },
          {
            what: 'appends time out, though they are there',
            inject: () => two.emulator.fault('answer', 'timeout', { calls: 4, of: ['append'] }),
          },
          {
            what: 'subscriptions are lost',
            inject: () => two.emulator.fault('dropSubscriptions', 'unavailable'),
          },
        ];

  it(
    'get answers that fit one order of the log, while replies, connections and an instance are lost',
    async () => {
      const { operations, excuses } = await runHistory({
        instances: two.all,
        clients: 8,
        hotTasks: 4,
        operations: 800,
        seed: 1,
        faults: [...faultsOfTheStore(), { what: 'kill -9 of an instance', inject: () => two.restart(1) }],
      });
      const { violations } = check({ operations, excuses, log: await two.log() });
      expect(violations).toEqual([]);
    },
    limitMs,
  );
});
