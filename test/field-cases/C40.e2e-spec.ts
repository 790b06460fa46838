import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  allRows,
  eventually,
  inParallel,
  LedgerApi,
  mismatches,
  rebuild,
  rebuildAll,
  rebuilt,
  useService,
  viewsOf,
  workerAgent,
} from '../support/index.js';
import { completed, started, storedEvent, streamOf, submitted, withLog } from '../support/stored-log.js';

const tasks = 10_000;
const appendsInHand = 256;
const liveWriters = 8;

describe('C40 a rebuild loses nothing and shows nothing half-built', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const user = new LedgerApi(service, alice);
  const operator = new LedgerApi(service, al2);

  beforeAll(async () => {
    await service.kill();
    await withLog(service.directory, async (store) => {
      for (let done = 0; done < tasks; done += appendsInHand) {
        const indexes = Array.from(
          { length: Math.min(appendsInHand, tasks - done) },
          (_, offset) => done + offset,
        );
        await Promise.all(
          indexes.map((index) => {
            const id = randomUUID();
            return store.append(streamOf(id), lifeOf(id, index), 'none');
          }),
        );
      }
    });
    await service.start();
    await caughtUp();
  }, 60_000);

  /** Three states, four contexts. */
  const lifeOf = (id: string, index: number): ReturnType<typeof storedEvent>[] => {
    const at = new Date(Date.UTC(2026, 2, 1) + index).toISOString();
    const life = [submitted(id, at, `context-${String(index % 4)}`), started(at), completed(at)];
    return life.slice(0, 1 + (index % 3)).map((event) => storedEvent(id, event));
  };

  const caughtUp = (): Promise<number> =>
    eventually('all tasks listed', async () => {
      const answer = await rpc.listTasks({ pageSize: 1 });
      return answer.code === undefined && answer.result.totalSize >= tasks
        ? answer.result.totalSize
        : undefined;
    });

  /** What alice is told of her tasks: whole rows of one context, counts of other listings. */
  const dump = async (): Promise<unknown> => {
    const counts: Record<string, number> = {};
    for (const query of [
      'status=running',
      'status=completed',
      'state=TASK_STATE_WORKING',
      'contextId=context-1',
    ])
      counts[query] = (await user.rows(`${query}&pageSize=1`)).body.totalSize;
    return { counts, rows: await allRows(user, 'contextId=context-2&status=running') };
  };

  it('C40 reads stay whole while a rebuild runs beside live writes, and the views agree with the log after it', async () => {
    const before = await dump();
    const name = (await viewsOf(operator))[0]?.name ?? '';
    let created = 0;
    const rebuilding = operator.post(`/views/${name}/rebuild`).then(async (answer) => {
      expect(answer.status).toBeLessThan(300);
      await rebuilt(operator, name);
      return 'done' as const;
    });
    for (let running = true; running;) {
      await inParallel(liveWriters, liveWriters, () => agent.create({ contextId: 'live' }));
      created += liveWriters;
      const listed = await rpc.listTasks({ pageSize: 1 });
      // The same tenant, another owner: alice sees her own 10,000 at every moment.
      expect(listed.result.totalSize).toBe(tasks);
      running = (await Promise.race([rebuilding, Promise.resolve('running' as const)])) === 'running';
    }
    expect((await operator.rows('contextId=live&pageSize=1')).body.totalSize).toBe(created);
    expect(await dump()).toEqual(before);
    expect(await mismatches(operator)).toEqual([]);
  });

  it('C40 a rebuild that was killed resumes or starts again, and changes nothing', async () => {
    const before = await dump();
    const name = (await viewsOf(operator))[0]?.name ?? '';
    expect((await operator.post(`/views/${name}/rebuild`)).status).toBeLessThan(300);
    await service.restart();
    await caughtUp();
    await rebuilt(operator, name);
    expect(await dump()).toEqual(before);
    await rebuildAll(operator);
    await rebuild(operator, name);
    expect(await dump()).toEqual(before);
    expect(await mismatches(operator)).toEqual([]);
  });
});
