import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#event-store';
import {
  alice,
  eventually,
  httpRequest,
  LedgerApi,
  settled,
  useService,
  whenWorkers,
} from '../support/index.js';
import { streamOf, wholeLog, withLog } from '../support/stored-log.js';
import { broad, endsByStream, linesIn, storeFamily } from '../support/stored-trees.js';

/** 400 descendants. */
const width = 20;
/** Ends that are seen before each kill. */
const killedAfter = [3, 150];

describe('C38 a cascade that is killed in the middle goes on where it stood', () => {
  let family: readonly string[] = [];
  const service = useService({
    prepare: (folder) =>
      withLog(folder, async (store) => {
        family = await storeFamily(store, broad(width));
      }),
  });
  const user = new LedgerApi(service, alice);

  const logOf = async (): Promise<RecordedEvent[]> => {
    await service.kill();
    return withLog(service.directory, wholeLog);
  };

  const expectEachOnce = (log: readonly RecordedEvent[], cancellationId: string): void => {
    const ends = endsByStream(log);
    expect([...ends.keys()].sort()).toEqual(family.map(streamOf).sort());
    for (const found of ends.values()) expect(found).toHaveLength(1);
    expect([...linesIn(log, cancellationId)].sort()).toEqual([...family].sort());
    const opened = log.filter(({ type }) => type === 'CancellationOpened');
    expect(opened).toHaveLength(1);
  };

  let cancellationId = '';
  let done: readonly RecordedEvent[] = [];

  it('C38 killed twice in one cascade: no task is skipped, none has two ends or two lines', async () => {
    let feed = await user.feed('from=end&types=TaskCanceled');
    cancellationId = (await user.cancel(family[0] ?? '')).body.cancellationId;
    for (const count of killedAfter) {
      await feed.take(count);
      feed.destroy();
      await service.restart();
      feed = await user.feed('from=start&types=TaskCanceled');
    }
    feed.destroy();
    const certificate = await settled(user, cancellationId);
    expect(certificate.counts).toMatchObject({ canceled: family.length });
    done = await logOf();
    expectEachOnce(done, cancellationId);
  });

  it('C38 a saga whose state was lost begins at the beginning, finds everything done and writes nothing', async () => {
    await rm(join(service.directory, 'state.db'), { force: true });
    await rm(join(service.directory, 'state.db-wal'), { force: true });
    await rm(join(service.directory, 'state.db-shm'), { force: true });
    await service.start();
    await eventually('a saga that has caught up', async () => {
      const { text } = await httpRequest(`${service.url}/metrics`);
      const [lag, open] = ['lag_events', 'open_triggers'].map((name) =>
        new RegExp(`^ledger_saga_${name} (\\d+)$`, 'm').exec(text),
      );
      return lag?.[1] === '0' && open?.[1] === '0' ? true : undefined;
    });
    expect((await whenWorkers(user, cancellationId, { none: family.length })).status).toBe('confirmed');
    expect((await logOf()).map(({ id }) => id)).toEqual(done.map(({ id }) => id));
  });
});
