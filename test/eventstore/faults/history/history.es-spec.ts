import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { check } from '../../history/checker/check.js';
import { type Fault, runHistory } from '../../history/clients/run.js';
import { figuresOf } from '../../history/support/figures.js';
import { disturb, whyNot } from '../../history/support/disturbances.js';
import { TwoInstances } from '../../history/support/two-instances.js';

/** A liveness limit for a busy machine. */
const limitMs = 900_000;
/** `LEDGER_TEST_SEED` repeats a run's choices, `LEDGER_TEST_OPERATIONS` makes it longer or shorter. */
const seed = Number(process.env.LEDGER_TEST_SEED ?? Date.now() % 1_000_000);
const operationsMin = Number(process.env.LEDGER_TEST_OPERATIONS ?? 5_000);

const outageMs = 5_000;
const hangMs = 4_000;
/** Events that a woken leader does not know. */
const forgotten = 40;

describe('eight clients on two instances, through long outages', () => {
  let two: TwoInstances;
  beforeAll(async () => {
    two = await TwoInstances.start();
  }, limitMs);
  afterAll(() => two?.stop());

  const killed = (index: 0 | 1): Fault => ({
    what: 'kill -9 of an instance',
    inject: () => two.restart(index),
  });

  const awayAndBack = async (): Promise<void> => {
    await two.emulator.fault('goAway');
    await delay(outageMs);
    await two.emulator.fault('comeBack');
  };

  const stoppedAndOn = async (): Promise<void> => {
    two.emulator.signal('SIGSTOP');
    await delay(hangMs);
    two.emulator.signal('SIGCONT');
  };

  /** Reads end before what was acknowledged, for a moment; appends know better. */
  const deposedAwake = async (): Promise<void> => {
    const before = (await two.emulator.events()).at(-forgotten)?.position ?? 0;
    await two.emulator.fault('readOldLog', before);
    await delay(300);
    await two.emulator.fault('readNewLog');
  };

  const emulated = (): readonly Fault[] => [
    { what: 'replies are lost', inject: () => two.emulator.fault('swallowReplies', { count: 20 }) },
    killed(0),
    { what: 'the store goes away', inject: awayAndBack },
    { what: 'a reply comes twice', inject: () => two.emulator.fault('replyTwice', { count: 1 }) },
    { what: 'the store hangs', inject: stoppedAndOn },
    {
      what: 'appends time out, though they are there',
      inject: () => two.emulator.fault('answer', 'timeout', { calls: 20, of: ['append'] }),
    },
    killed(1),
    { what: 'a deposed leader wakes up', inject: deposedAwake, isExcuse: true },
    { what: 'connections are lost', inject: () => two.emulator.fault('dropConnections') },
    { what: 'consumers are too slow', inject: () => two.emulator.fault('dropSubscriptions', 'too-slow') },
  ];

  /** What can be done to the real server: nothing, unless it is told how. */
  const real = (): readonly Fault[] => [
    killed(0),
    ...(whyNot('kill') === undefined
      ? [{ what: 'the leader is killed', inject: () => disturb('kill'), isExcuse: true as const }]
      : []),
    killed(1),
    ...(whyNot('hang') === undefined
      ? [{ what: 'the leader hangs', inject: () => disturb('hang'), isExcuse: true as const }]
      : []),
    ...(whyNot('takeAway') === undefined
      ? [{ what: 'the node is away', inject: () => disturb('takeAway') }]
      : []),
  ];

  it(
    `get answers that fit one order of the log (LEDGER_TEST_SEED=${String(seed)})`,
    async () => {
      const { operations, excuses } = await runHistory({
        instances: two.all,
        clients: 8,
        hotTasks: 5,
        operations: operationsMin,
        seed,
        faults: process.env.LEDGER_TEST_EVENTSTORE === undefined ? emulated() : real(),
      });
      const log = await two.log();
      const { violations, excused } = check({ operations, excuses, log });
      const figures = { ...figuresOf(operations), logged: log.length, excused: excused.length };
      process.stdout.write(`history: ${JSON.stringify(figures)}\n`);
      expect(violations).toEqual([]);
    },
    limitMs,
  );
});
