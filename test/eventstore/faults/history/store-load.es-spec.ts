import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStore, openEventStoreDb } from '#event-store';
import { type EmulatorProcess, startEmulatorProcess } from '#testing';
import { Load, type LoadReport } from '../../history/load/run-load.js';
import { type Disturbance, disturb, whyNot } from '../../history/support/disturbances.js';

const writers = 32;
/** Writes go on by then; a silent subscription is noticed by then. Milliseconds. */
const writesGoOnWithin = 8_000;
const silenceNoticedWithin = 5_000;
/** How long an emulator is stopped. */
const hangMs = 5_000;
/** A liveness limit for a busy machine. */
const limitMs = 180_000;

interface Case {
  readonly what: string;
  readonly disturbance: Disturbance;
  /** Nothing can be taken as long as it lasts. */
  readonly isAway: boolean;
}

const cases: readonly Case[] = [
  { what: 'its leader is killed', disturbance: 'kill', isAway: false },
  { what: 'its leader hangs', disturbance: 'hang', isAway: false },
  { what: 'it is away', disturbance: 'takeAway', isAway: true },
];

const realServer = process.env.LEDGER_TEST_EVENTSTORE;

describe('32 writers and a subscription', () => {
  const namespace = `load${randomBytes(4).toString('hex')}`;
  let emulator: EmulatorProcess | undefined;
  let store: EventStore;
  beforeAll(async () => {
    if (realServer === undefined) emulator = await startEmulatorProcess();
    store = await openEventStoreDb({ url: realServer ?? emulator?.url ?? '', namespace });
  }, limitMs);
  afterAll(async () => {
    await store.close();
    await emulator?.stop();
  });

  const ran = async (what: string, done: () => Promise<void>): Promise<LoadReport> => {
    const prefix = `${namespace}.${randomBytes(4).toString('hex')}-`;
    const load = new Load({ store, prefix, writers, beforeMs: 3_000, afterMs: 12_000, disturb: done });
    const report = await load.run();
    process.stdout.write(`${what}: ${JSON.stringify(report)}\n`);
    return report;
  };

  const expectWhole = (report: LoadReport, isAway: boolean): void => {
    expect(report).toMatchObject({ lost: 0, doubled: 0, missed: 0, outOfOrder: 0 });
    const away = isAway ? report.disturbedMs : 0;
    expect(report.longestGapOfAcknowledgements).toBeLessThan(away + writesGoOnWithin);
    if (report.longestGapOfSubscription <= silenceNoticedWithin) return;
    expect(report.saidBehindAfter).toBeGreaterThan(0);
    expect(report.saidBehindAfter).toBeLessThan(silenceNoticedWithin);
  };

  for (const { what, disturbance, isAway } of cases) {
    const reason = whyNot(disturbance);
    const test = reason === undefined ? it : it.skip;
    const rule = `while ${what}: nothing is lost, doubled or missed, and writes go on`;
    test(
      reason === undefined ? rule : `${rule}: ${reason}`,
      async () => expectWhole(await ran(what, () => disturb(disturbance)), isAway),
      limitMs,
    );
  }

  (realServer === undefined ? it : it.skip)(
    'while an emulator hangs: nothing is lost, doubled or missed, and writes go on',
    async () => {
      const hang = async (): Promise<void> => {
        emulator?.signal('SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, hangMs));
        emulator?.signal('SIGCONT');
      };
      expectWhole(await ran('the emulator hangs', hang), true);
    },
    limitMs,
  );
});
