import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  eventually,
  LedgerApi,
  rebuildAll,
  useService,
  viewsOf,
  workerAgent,
} from '../support/index.js';
import { metadataOf, streamOf, withLog } from '../support/stored-log.js';

/** One event of each kind that this version cannot read, as somebody else would have written it. */
const unreadable = {
  'of an unknown type': { type: 'TaskTeleported', data: '{"at":"2026-03-01T10:00:00.000Z"}' },
  'with a wrong field': { type: 'TaskStarted', data: '{"at":12,"content":{"enc":"none","body":{}}}' },
  'with broken JSON': { type: 'TaskStarted', data: '{"at":"2026-03-01T10:00:00.000Z",' },
  'of a newer version': {
    type: 'TaskStarted',
    data: '{"v":99,"at":"2026-03-01T10:00:00.000Z","content":{"enc":"none","body":{}}}',
  },
} as const;
type Kind = keyof typeof unreadable;
const kinds = Object.keys(unreadable) as Kind[];

describe('C43 one unreadable event stops nothing but its task', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);
  const touched = new Map<Kind, string>();
  let healthy = '';

  beforeAll(async () => {
    for (const kind of kinds) touched.set(kind, (await rpc.newTask(`hit ${kind}`, { contextId: 'hit' })).id);
    healthy = (await rpc.newTask('healthy')).id;
    await service.kill();
    await withLog(service.directory, async (store) => {
      for (const [kind, id] of touched) {
        const metadata = JSON.stringify(metadataOf(id));
        await store.append(streamOf(id), [{ id: randomUUID(), metadata, ...unreadable[kind] }], 0);
      }
    });
    await service.start();
  });

  const idOf = (kind: Kind): string => touched.get(kind) ?? '';

  const setAsideTotal = async (): Promise<number> => {
    const counts = (await viewsOf(operator)).map(({ setAside }) =>
      typeof setAside === 'number' ? setAside : setAside.length,
    );
    return Math.max(...counts);
  };

  it('C43 the service starts, and other tasks go on', async () => {
    expect((await agent.emit(healthy, 'working')).status).toBe(200);
    expect((await rpc.listTasks()).result.totalSize).toBe(kinds.length + 1);
    expect((await rpc.newTask('another', { contextId: 'after' })).status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it.each(kinds)(
    'C43 the task with an event %s is flagged, served as of before, and takes no write',
    async (kind) => {
      const id = idOf(kind);
      const row = (await agent.row(id)).body;
      expect(row).toMatchObject({ revision: 0, state: 'TASK_STATE_SUBMITTED' });
      expect(row.flagged).toEqual({ revision: 1, type: unreadable[kind].type });
      expect((await rpc.getTask(id)).result.status.state).toBe('TASK_STATE_SUBMITTED');
      const write = await agent.emit(id, 'working');
      expect(write.problem).toMatchObject({ status: 503, code: 'task-unreadable' });
      expect(write.headers.get('retry-after')).not.toBeNull();
      expect((await agent.events(id)).status).toBe(200);
    },
  );

  it('C43 what was set aside is counted and shown with position, type and error', async () => {
    await eventually('four events set aside', async () =>
      (await setAsideTotal()) === kinds.length ? true : undefined,
    );
    const text = (await operator.get('/views')).text;
    expect(text).toContain('TaskTeleported');
    const listed = (await rpc.listTasks({ contextId: 'hit' })).result;
    expect(listed.totalSize).toBe(kinds.length);
  });

  it('C43 a rebuild finishes and reports the same count; nothing is deleted', async () => {
    await rebuildAll(operator);
    expect(await setAsideTotal()).toBe(kinds.length);
    await service.kill();
    await withLog(service.directory, async (store) => {
      for (const kind of kinds) {
        const events = await store.readStream(streamOf(idOf(kind)), { limit: 10 });
        expect(events.map(({ type }) => type)).toEqual(['TaskSubmitted', unreadable[kind].type]);
      }
    });
    await service.start();
    expect((await rpc.listTasks()).result.totalSize).toBe(kinds.length + 2);
  });
});
