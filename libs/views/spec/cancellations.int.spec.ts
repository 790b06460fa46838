import { MemoryEventStore } from '#testing';
import type { CancellationEvent, CancellationEventData, CancellationRequest } from '#domain';
import type { CancellationFilter, ListedCancellation, Views } from '../src/index.js';
import { dump, operator, user, ViewBench, wholeCancellations } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

overEveryPlace('Cancellations as a list', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const canceled = async (name: string, by = 'ann', owner = 'ann'): Promise<void> => {
    await bench.log.submit(`task-${name}`, { owner });
    await bench.log.cancel(`task-${name}`, `cancellation-${name}`, { by });
  };

  const request: CancellationRequest = {
    mode: 'immediate',
    cascade: true,
    requestedBy: { principal: 'system', role: 'system', via: 'system' },
  };

  /** As {@link canceled} asks. */
  const asked: CancellationRequest = {
    mode: 'immediate',
    cascade: false,
    requestedBy: { principal: 'ann', role: 'user', via: 'ledger-api' },
  };

  const openedOf = (
    cancellationId: string,
    rootTaskId: string,
    more: Partial<CancellationEventData['CancellationOpened']> = {},
  ): CancellationEvent => ({
    type: 'CancellationOpened',
    data: {
      at: bench.log.at(),
      cancellationId,
      rootTaskId,
      requestedAt: bench.log.at(),
      request,
      descendantsOnly: false,
      content: { enc: 'none', body: {} },
      ...more,
    },
  });

  const lineOf = (type: 'settled' | 'waiting', taskId: string): CancellationEvent => {
    const at = bench.log.at();
    const node = { taskId, depth: 0, reachedAt: at };
    return type === 'waiting'
      ? { type: 'NodeWaiting', data: { at, node } }
      : {
          type: 'NodesSettled',
          data: {
            at,
            nodes: [{ ...node, outcome: 'canceled', settledAt: at, worker: 'acknowledged', attempts: 1 }],
          },
        };
  };

  const listed = async (
    views: Views,
    filter: CancellationFilter = {},
    caller = operator,
  ): Promise<readonly ListedCancellation[]> => {
    const { items, totals } = await wholeCancellations(views, caller, { filter, pageSize: 100 });
    expect(totals).toEqual([items.length]);
    return items;
  };

  const namesOf = (items: readonly ListedCancellation[]): readonly string[] =>
    items.map(({ cancellationId }) => cancellationId.replace('cancellation-', ''));

  it('show what was asked, by whom and how, the newest first', async () => {
    await canceled('one');
    bench.clock.advance(1_000);
    await bench.log.submit('asked');
    await bench.log.move('asked', 'working');
    const reason = 'é'.repeat(2_000);
    await bench.log.cancel('asked', 'cancellation-two', { mode: 'cooperative', graceMs: 5_000, reason });
    const views = await bench.started();

    expect(await listed(views)).toEqual([
      {
        cancellationId: 'cancellation-two',
        rootTaskId: 'asked',
        requestedAt: '2026-01-01T00:00:01.000Z',
        requestedBy: { principal: 'ann', role: 'user', via: 'ledger-api' },
        mode: 'cooperative',
        reason: 'é'.repeat(1_024),
        status: 'running',
        descendantsOnly: false,
        parentEnded: false,
      },
      expect.objectContaining({ cancellationId: 'cancellation-one', mode: 'immediate', status: 'running' }),
    ]);
  });

  it('run from the event of their root on, and their opening changes nothing of it', async () => {
    await canceled('one');
    const views = await bench.started();
    const before = await listed(views);
    bench.clock.advance(5_000);
    await bench.log.writeCancellation('cancellation-one', [
      openedOf('cancellation-one', 'task-one', { requestedAt: before[0]?.requestedAt ?? '' }),
    ]);
    await bench.inStep(views);

    expect(await listed(views)).toEqual(before);
  });

  it('run from their opening on where the root has no event of its own', async () => {
    await bench.log.submit('root');
    await bench.log.writeCancellation('below', [openedOf('below', 'root', { descendantsOnly: true })]);
    await bench.log.writeCancellation('ended', [
      openedOf('ended', 'root', {
        parentEnded: true,
        rootRevision: 3,
        content: { enc: 'none', body: { reason: 'onEnd: cascade, the parent ended: completed' } },
      }),
    ]);
    const views = await bench.started();

    const [below, ended] = await listed(views);
    expect(below).toMatchObject({ cancellationId: 'below', descendantsOnly: true, parentEnded: false });
    expect(ended).toMatchObject({
      cancellationId: 'ended',
      parentEnded: true,
      reason: 'onEnd: cascade, the parent ended: completed',
      requestedBy: { principal: 'system', role: 'system', via: 'system' },
    });
    expect(await views.reader.rootOfCancellation('below')).toBeUndefined();
    expect(await views.reader.rootOfCancellation('ended')).toEqual({ rootTaskId: 'root', rootRevision: 3 });
  });

  it('have one root: neither the answer to its request nor what the cascade reached is another one', async () => {
    await bench.log.submit('root');
    await bench.log.submit('child', { parent: { taskId: 'root', policy: 'cooperative' } });
    for (const taskId of ['root', 'child']) await bench.log.move(taskId, 'working');
    await bench.log.cancel('root', 'cancellation-1', { mode: 'cooperative', graceMs: 5_000 });
    const rootRevision = bench.log.task('root').revision;
    await bench.log.move('root', 'canceled');
    await bench.log.run('child', {
      type: 'CarryCancellation',
      at: bench.log.at(),
      cancellationId: 'cancellation-1',
      manner: 'immediate',
      request,
    });
    const views = await bench.started();

    expect(bench.log.task('child').state).toBe('canceled');
    expect(await views.reader.rootOfCancellation('cancellation-1')).toEqual({
      rootTaskId: 'root',
      rootRevision,
    });
    expect((await listed(views)).map(({ rootTaskId }) => rootTaskId)).toEqual(['root']);
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('are settled, reopened, confirmed and doubted as their own stream says', async () => {
    await canceled('one');
    const views = await bench.started();
    const statusAfter = async (...events: CancellationEvent[]): Promise<unknown> => {
      bench.clock.advance(1_000);
      const dated = events.map(({ type, data }) => ({ type, data: { ...data, at: bench.log.at() } }));
      await bench.log.writeCancellation('cancellation-one', dated as CancellationEvent[]);
      await bench.inStep(views);
      const [{ status, settledAt, confirmedAt } = {}] = await listed(views);
      return [status, settledAt?.slice(17, 19), confirmedAt?.slice(17, 19)];
    };
    const at = '';

    await statusAfter(
      openedOf('cancellation-one', 'task-one', { requestedAt: '2026-01-01T00:00:00.000Z', request: asked }),
    );
    expect(await statusAfter(lineOf('settled', 'task-one'))).toEqual(['running', undefined, undefined]);
    expect(await statusAfter({ type: 'CancellationSettled', data: { at } })).toEqual([
      'settled',
      '03',
      undefined,
    ]);
    expect(await statusAfter(lineOf('waiting', 'late'))).toEqual(['running', undefined, undefined]);
    expect(
      await statusAfter(
        lineOf('settled', 'late'),
        { type: 'CancellationSettled', data: { at } },
        { type: 'CancellationConfirmed', data: { at } },
      ),
    ).toEqual(['confirmed', '05', '05']);
    const wrote = { at, taskId: 'late', principal: 'bot', attempted: 'artifact' } as const;
    expect(await statusAfter({ type: 'WorkerWroteLate', data: wrote })).toEqual(['settled', '05', undefined]);
    expect(await statusAfter({ type: 'CancellationConfirmed', data: { at } })).toEqual([
      'confirmed',
      '05',
      '07',
    ]);
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('are found by each of their filters', async () => {
    await canceled('one', 'ann');
    bench.clock.advance(1_000);
    const since = bench.log.at();
    await canceled('two', 'bob');
    bench.clock.advance(1_000);
    await canceled('three', 'bob');
    await bench.log.writeCancellation('cancellation-three', [
      openedOf('cancellation-three', 'task-three'),
      { type: 'CancellationSettled', data: { at: bench.log.at() } },
    ]);
    const views = await bench.started();
    const found = async (filter: CancellationFilter): Promise<readonly string[]> =>
      namesOf(await listed(views, filter));

    expect(await found({})).toEqual(['three', 'two', 'one']);
    expect(await found({ requestedBy: 'bob' })).toEqual(['three', 'two']);
    expect(await found({ status: 'settled' })).toEqual(['three']);
    expect(await found({ status: 'running', requestedBy: 'bob' })).toEqual(['two']);
    expect(await found({ since })).toEqual(['three', 'two']);
    expect(await found({ since: '2026-01-01T01:00:02+01:00' })).toEqual(['three']);
    expect(await found({ rootTaskId: 'task-one' })).toEqual(['one']);
    expect(await found({ rootTaskId: 'task-one', requestedBy: 'bob' })).toEqual([]);
  });

  it.each<[string, object]>([
    ['status', { status: 'over' }],
    ['since', { since: 'yesterday' }],
  ])('refuse an unknown %s', async (field, filter) => {
    const views = await bench.started();
    await expect(
      views.reader.listCancellations(operator, { filter: filter, pageSize: 1 }),
    ).rejects.toMatchObject({ code: 'invalid-request', detail: { field } });
  });

  it('show a user the cancellations of his own tasks, and an operator those of the tenant', async () => {
    await canceled('ann', 'olga', 'ann');
    await canceled('bob', 'bob', 'bob');
    const views = await bench.started();

    expect(namesOf(await listed(views, {}, user('ann')))).toEqual(['ann']);
    expect(namesOf(await listed(views))).toEqual(['ann', 'bob']);
    expect(await listed(views, {}, user('ann', 'else'))).toEqual([]);
    expect(await listed(views, { rootTaskId: 'task-ann' }, user('bob'))).toEqual([]);
  });

  it('C15 show everything that page one knew of once, whatever comes and moves while they are paged', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await canceled(name);
    const views = await bench.started();
    const first = await views.reader.listCancellations(operator, { filter: {}, pageSize: 2 });
    await canceled('aa');
    await canceled('zz');
    bench.clock.advance(1_000);
    await canceled('newer');
    await bench.log.writeCancellation('cancellation-d', [
      openedOf('cancellation-d', 'task-d'),
      { type: 'CancellationSettled', data: { at: bench.log.at() } },
    ]);
    await bench.inStep(views);

    const rest = await wholeCancellations(views, operator, {
      filter: {},
      pageSize: 2,
      pageToken: first.nextPageToken,
    });

    expect(namesOf([...first.items, ...rest.items])).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([first.totalSize, ...rest.totals]).toEqual([5, 5, 5]);
    expect(rest.items[1]?.status).toBe('settled');
    expect(namesOf(await listed(views))).toEqual(['newer', 'a', 'aa', 'b', 'c', 'd', 'e', 'zz']);
  });

  it('C14 refuse a token of another list, filter or caller, and one that was damaged', async () => {
    for (const name of ['a', 'b']) await canceled(name);
    const views = await bench.started();
    const own = await views.reader.listCancellations(operator, { filter: {}, pageSize: 1 });
    const tasks = await views.reader.listRows(operator, { filter: {}, pageSize: 1 });
    const refused = (pageToken: string, filter: CancellationFilter = {}, caller = operator): Promise<void> =>
      expect(
        views.reader.listCancellations(caller, { filter, pageSize: 1, pageToken }),
      ).rejects.toMatchObject({ code: 'invalid-request', detail: { field: 'pageToken' } });

    await refused(tasks.nextPageToken);
    await refused(own.nextPageToken, { status: 'running' });
    await refused(own.nextPageToken, {}, user('ann'));
    await refused(`${own.nextPageToken.slice(0, -1)}x`);
    await expect(
      views.reader.listRows(operator, { filter: {}, pageSize: 1, pageToken: own.nextPageToken }),
    ).rejects.toMatchObject({ detail: { field: 'pageToken' } });
  });

  it('C41 wait for what this process has appended', async () => {
    const views = await bench.started();
    bench.store.faults.hold();
    await canceled('new');
    views.noteAppended(bench.log.position);

    const listing = views.reader.listCancellations(operator, { filter: {}, pageSize: 1 });
    bench.store.faults.release();

    expect((await listing).items).toHaveLength(1);
    expect((await listing).stale).toBe(false);
  });

  it('C40 are unavailable before the view was filled, and the same ones after a rebuild', async () => {
    for (const name of ['a', 'b', 'c']) await canceled(name);
    await bench.log.writeCancellation('cancellation-b', [
      openedOf('cancellation-b', 'task-b'),
      { type: 'CancellationSettled', data: { at: bench.log.at() } },
    ]);
    bench.store.faults.hold();
    const views = await bench.open();
    views.start();
    await expect(views.reader.listCancellations(operator, { filter: {}, pageSize: 1 })).rejects.toMatchObject(
      { code: 'unavailable' },
    );
    bench.store.faults.release();
    await bench.inStep(views);
    const before = await dump(views);

    await views.reader.rebuild('tasks');
    await bench.rebuilt(views);

    expect(await listed(views)).toHaveLength(3);
    expect(await dump(views)).toEqual(before);
  });

  it('are named by a verification where they do not agree with their streams', async () => {
    await canceled('one');
    await bench.log.writeCancellation('cancellation-one', [
      openedOf('cancellation-one', 'another-task', { descendantsOnly: true }),
    ]);
    const views = await bench.started();

    const { checked, mismatches } = await views.reader.verify('tasks');

    expect(checked).toBe(1);
    expect(mismatches.map(({ taskId, field }) => [taskId, field])).toContainEqual([
      'another-task',
      'cancellation cancellation-one.rootTaskId',
    ]);
  });
});
