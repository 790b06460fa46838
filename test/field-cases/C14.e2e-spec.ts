import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, LedgerApi, useService } from '../support/index.js';
import { storedEvent, streamOf, submitted, withLog } from '../support/stored-log.js';

const contextId = 'one-burst';
const at = '2026-03-01T10:00:00.000Z';

describe('C14 tasks of one millisecond are all listed', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const ids = Array.from({ length: 7 }, () => randomUUID());

  beforeAll(async () => {
    await service.kill();
    await withLog(service.directory, async (store) => {
      for (const id of ids) {
        await store.append(streamOf(id), [storedEvent(id, submitted(id, at, contextId))], 'none');
      }
    });
    await service.start();
  });

  const readAll = async (
    sizes: readonly number[],
  ): Promise<{ pages: string[][]; totals: number[]; last: string }> => {
    const pages: string[][] = [];
    const totals: number[] = [];
    let pageToken = '';
    for (const pageSize of sizes) {
      const page = (await rpc.listTasks({ contextId, pageSize, ...(pageToken === '' ? {} : { pageToken }) }))
        .result;
      pages.push(page.tasks.map(({ id }) => id));
      totals.push(page.totalSize);
      pageToken = page.nextPageToken;
    }
    return { pages, totals, last: pageToken };
  };

  it('C14 four pages, seven tasks, one total, an empty last token, the same order each time', async () => {
    const { pages, totals, last } = await readAll([2, 2, 2, 2]);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect([...pages.flat()].sort()).toEqual([...ids].sort());
    expect(totals).toEqual([7, 7, 7, 7]);
    expect(last).toBe('');
    expect((await readAll([2, 2, 2, 2])).pages).toEqual(pages);
    const times = (await rpc.listTasks({ contextId })).result.tasks.map(({ status }) => status.timestamp);
    expect(new Set(times)).toEqual(new Set([at]));
  });

  it('C14 the page size may change between pages', async () => {
    const { pages, last } = await readAll([1, 3, 2, 50]);
    expect(pages.map(({ length }) => length)).toEqual([1, 3, 2, 1]);
    expect(new Set(pages.flat()).size).toBe(7);
    expect(last).toBe('');
  });

  it('C14 a damaged token is refused, wherever the damage is, over both doors', async () => {
    const token = (await rpc.listTasks({ contextId, pageSize: 2 })).result.nextPageToken;
    const flipped = Array.from(token, (character, index) => {
      const other = character === 'A' ? 'B' : 'A';
      return token.slice(0, index) + other + token.slice(index + 1);
    });
    const damaged = ['%%%', `${token}x`, `${token}==`, token.slice(1), token.slice(0, -1), ...flipped];
    for (const pageToken of damaged)
      expect([pageToken, (await rpc.listTasks({ contextId, pageSize: 2, pageToken })).code]).toEqual([
        pageToken,
        -32602,
      ]);
    const rowsToken = (await user.rows(`contextId=${contextId}&pageSize=2`)).body.nextPageToken;
    const refused = await user.rows(`contextId=${contextId}&pageSize=2&pageToken=${rowsToken.slice(0, -2)}`);
    expect(refused.problem).toMatchObject({ status: 400, code: 'invalid-request', field: 'pageToken' });
  });

  it('C14 a token of another filter is refused', async () => {
    const pageToken = (await rpc.listTasks({ contextId, pageSize: 2 })).result.nextPageToken;
    expect((await rpc.listTasks({ contextId: 'another', pageSize: 2, pageToken })).code).toBe(-32602);
    expect((await rpc.listTasks({ pageSize: 2, pageToken })).code).toBe(-32602);
  });

  it('C14 a token survives a restart, for its position is in the log', async () => {
    const first = (await rpc.listTasks({ contextId, pageSize: 4 })).result;
    await service.restart();
    const second = (await rpc.listTasks({ contextId, pageSize: 4, pageToken: first.nextPageToken })).result;
    expect([...first.tasks, ...second.tasks].map(({ id }) => id).sort()).toEqual([...ids].sort());
  });
});
