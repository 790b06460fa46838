import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type EventStore, openEmbeddedStore, type RecordedEvent } from '#event-store';
import type { ListedRow, Views } from '#views';
import { alice, inParallel, workerAgent } from '../support/index.js';
import { asCaller, openInProcess, withFolder } from '../support/in-process.js';
import { wholeLog } from '../support/stored-log.js';

const writers = 8;
const eventsOfWriter = 5_000;
const user = asCaller(alice);
const agent = asCaller(workerAgent);
const plainEvent = { type: 'Counted', data: '{}', metadata: '{}' };

describe('C37 no committed event is skipped', () => {
  /** Reads until `count` events have come. */
  const follow = async (
    store: EventStore,
    count: number,
    from: string | 'start',
  ): Promise<RecordedEvent[]> => {
    const seen: RecordedEvent[] = [];
    for await (const message of store.subscribe({ from, prefix: 'count.' })) {
      if (message.kind !== 'events') continue;
      seen.push(...message.events);
      if (seen.length >= count) break;
    }
    return seen;
  };

  it('C37 8 writers of 5,000 events, some refused: every subscriber sees each committed event once, in log order', async () => {
    await withFolder(async (folder) => {
      const store = await openEmbeddedStore({ folder });
      try {
        const total = writers * eventsOfWriter;
        const following = [
          follow(store, total, 'start'),
          follow(store, total, 'start'),
          follow(store, total, 'start'),
        ];
        let refused = 0;
        await inParallel(writers, writers, async (writer) => {
          const stream = `count.${String(writer)}`;
          for (let done = 0; done < eventsOfWriter;) {
            const count = Math.min(1 + ((done + writer) % 7), eventsOfWriter - done);
            const events = Array.from({ length: count }, () => ({ id: randomUUID(), ...plainEvent }));
            await store.append(stream, events, done === 0 ? 'none' : done - 1);
            done += count;
            if (done % 11 === 0)
              await store
                .append(stream, [{ id: randomUUID(), ...plainEvent }], done + 5)
                .catch(() => (refused += 1));
          }
        });
        const seen = await Promise.all(following);
        const log: string[] = [];
        for (let from: string | undefined; log.length < total;) {
          const page = await store.readAll({
            prefix: 'count.',
            limit: 4_000,
            ...(from === undefined ? {} : { from }),
          });
          log.push(...page.slice(from === undefined ? 0 : 1).map(({ id }) => id));
          from = page.at(-1)?.position;
        }
        expect(refused).toBeGreaterThan(0);
        expect(new Set(log).size).toBe(total);
        for (const events of seen) expect(events.map(({ id }) => id)).toEqual(log);
      } finally {
        await store.close();
      }
    });
  });
});

describe('C38 a view and its position move together', () => {
  const rowsOf = async (views: Views): Promise<ListedRow[]> => {
    const rows: ListedRow[] = [];
    for (let pageToken = ''; ;) {
      const request = { filter: {}, pageSize: 100, ...(pageToken === '' ? {} : { pageToken }) };
      const page = await views.reader.listRows(user, request);
      rows.push(...page.items);
      pageToken = page.nextPageToken;
      if (pageToken === '') return rows;
    }
  };

  it('C38 stopped at ten awkward moments, a view equals one that was never stopped', async () => {
    await withFolder(async (folder) => {
      const store = await openEmbeddedStore({ folder });
      try {
        const viewsFile = join(folder, 'views.db');
        for (let round = 0; round < 10; round++) {
          const running = await openInProcess(store, { viewsFile });
          const { commands } = running.ledger;
          await inParallel(40, 16, async (index) => {
            const { taskId } = (await commands.create(user, { contextId: String(round) })).task;
            await commands.transition(agent, taskId, { to: 'working' });
            if (index % 2 === 0) await commands.transition(agent, taskId, { to: 'completed' });
          });
          await running.close();
        }
        const before = (await wholeLog(store)).length;
        const stopped = await openInProcess(store, { viewsFile });
        const fresh = await openInProcess(store);
        try {
          const rows = await rowsOf(stopped.views);
          expect(rows).toHaveLength(400);
          expect(rows).toEqual(await rowsOf(fresh.views));
          for (const { name } of await stopped.views.reader.status())
            expect((await stopped.views.reader.verify(name)).mismatches).toEqual([]);
        } finally {
          await stopped.close();
          await fresh.close();
        }
        expect((await wholeLog(store)).length).toBe(before);
      } finally {
        await store.close();
      }
    });
  });
});
