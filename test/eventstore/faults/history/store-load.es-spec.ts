import { exec } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStore, openEventStoreDb } from '#event-store';
import { Load, type LoadReport } from '../../history/load/run-load.js';

const run = promisify(exec);

/** Commands that do something to the server that `LEDGER_TEST_EVENTSTORE` names; each returns when it is over. */
const disturbances = [
  { what: 'its leader is killed', command: process.env.LEDGER_TEST_KILL_LEADER, isAway: false },
  { what: 'its leader hangs', command: process.env.LEDGER_TEST_HANG_LEADER, isAway: false },
  // A single node: nothing is taken as long as the command runs.
  { what: 'it is away', command: process.env.LEDGER_TEST_TAKE_AWAY, isAway: true },
];
const url = process.env.LEDGER_TEST_EVENTSTORE;

const writers = 32;
/** Writes go on by then; a silent subscription is noticed by then. Milliseconds. */
const writesGoOnWithin = 8_000;
const silenceNoticedWithin = 5_000;

const tell = (what: string, report: LoadReport): void => {
  process.stdout.write(`${what}: ${JSON.stringify(report)}\n`);
};

describe('32 writers and a subscription', () => {
  const namespace = `load${randomBytes(4).toString('hex')}`;
  let store: EventStore;
  beforeAll(async () => {
    if (url !== undefined) store = await openEventStoreDb({ url, namespace });
  });
  afterAll(async () => {
    if (url !== undefined) await store.close();
  });

  for (const { what, command, isAway } of disturbances) {
    const rule = `while ${what}: nothing is lost, doubled or missed, and writes go on`;
    const test = url === undefined || command === undefined ? it.skip : it;
    test(
      rule,
      async () => {
        const report = await new Load({
          store,
          prefix: `${namespace}.${randomBytes(4).toString('hex')}-`,
          writers,
          beforeMs: 3_000,
          afterMs: 12_000,
          disturb: async () => {
            await run(command ?? '');
          },
        }).run();
        tell(what, report);
        expect(report).toMatchObject({ lost: 0, doubled: 0, missed: 0, outOfOrder: 0 });
        const away = isAway ? report.disturbedMs : 0;
        expect(report.longestGapOfAcknowledgements).toBeLessThan(away + writesGoOnWithin);
        if (report.longestGapOfSubscription > silenceNoticedWithin) {
          expect(report.saidBehindAfter).toBeGreaterThan(0);
          expect(report.saidBehindAfter).toBeLessThan(silenceNoticedWithin);
        }
      },
      120_000,
    );
  }
});
