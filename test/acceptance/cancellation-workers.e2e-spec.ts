import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  branch,
  endOf,
  grow,
  LedgerApi,
  lineOf,
  settled,
  type Tree,
  useService,
  whenWorkers,
  wholeCertificate,
  workerAgent,
} from '../support/index.js';

describe('what a certificate knows of the workers', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  const family = (): Promise<Tree> =>
    grow(user, agent, branch('P', [branch('K'), branch('S', [], { state: 'submitted' })]));

  it('word that went out on an agent’s feed makes its worker notified; one who only looks on does not count', async () => {
    const tree = await family();
    const looking = [
      await user.feed('from=end&types=TaskCanceled'),
      await operator.feed('from=end&types=TaskCanceled'),
    ];
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await settled(user, cancellationId);
    for (const feed of looking) {
      await feed.takeUntil(({ data }) => data.includes(tree.id('K')));
      feed.destroy();
    }
    const before = await wholeCertificate(user, cancellationId);
    expect(before.workers).toMatchObject({ none: 1, unnotified: 2, notified: 0 });
    expect(lineOf(before, tree.id('S')).worker).toBe('none');
    expect([...before.unconfirmed].sort()).toEqual([tree.root, tree.id('K')].sort());

    const feed = await agent.feed('from=start&types=TaskCanceled');
    const told = new Set<string>();
    await feed.takeUntil(({ data }) => {
      const { taskId } = JSON.parse(data) as { taskId: string };
      if (tree.taskIds.includes(taskId)) told.add(taskId);
      return told.size === 3;
    });
    feed.destroy();
    const after = await whenWorkers(user, cancellationId, { none: 1, notified: 2, unnotified: 0 });
    expect(after.status).toBe('settled');
    expect([...after.unconfirmed].sort()).toEqual([tree.root, tree.id('K')].sort());
  });

  it.each(['the stream of events', 'SubscribeToTask'])(
    'word that went out over %s counts as well',
    async (over) => {
      const tree = await family();
      const frames =
        over === 'SubscribeToTask'
          ? await new A2aRpc(service, workerAgent).subscribe(tree.id('K'))
          : await agent.followEvents(tree.id('K'));
      await frames.take(1);
      const { cancellationId } = (await user.cancel(tree.root)).body;
      const until = over === 'SubscribeToTask' ? 'TASK_STATE_CANCELED' : 'TaskCanceled';
      await frames.takeUntil(({ data }) => data.includes(until));
      frames.destroy();
      const certificate = await whenWorkers(user, cancellationId, { notified: 1, unnotified: 1 });
      expect(lineOf(certificate, tree.id('K')).worker).toBe('notified');
    },
  );

  it('the agent’s ack closes a worker, says by whom and when, and the last one confirms the certificate', async () => {
    const tree = await family();
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await settled(user, cancellationId);
    const waiting = user.certificate(cancellationId, 'wait=confirmed&timeoutMs=20000');
    const first = await agent.acknowledge(tree.id('K'), { note: 'stopped, nothing left behind' });
    expect([first.status, first.body]).toEqual([200, { cancellationId }]);
    expect(first.position).not.toBeNull();
    const half = await wholeCertificate(user, cancellationId);
    expect(half).toMatchObject({ status: 'settled', unconfirmed: [tree.root] });
    const line = lineOf(half, tree.id('K'));
    expect(line).toMatchObject({ worker: 'acknowledged', acknowledged: { by: 'worker' } });
    expect((line.acknowledged?.at ?? '') >= (line.settledAt ?? 'z')).toBe(true);

    await agent.acknowledge(tree.root);
    const confirmed = (await waiting).body;
    expect(confirmed).toMatchObject({
      status: 'confirmed',
      confirmedAt: expect.any(String),
      workers: { none: 1, acknowledged: 2 },
      unconfirmed: [],
      survivors: [],
    });
    expect((await endOf(user, tree.id('K'))).revision).toBe(line.revision);
    expect((await user.get(`/cancellations/${cancellationId}?format=text`)).text).toContain('acknowledged');
  });

  it('canceled, reported of a task that is canceled, counts as the ack and adds nothing to the task', async () => {
    const tree = await family();
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const before = (await user.events(tree.root)).body.events;
    expect((await agent.transition(tree.root, { to: 'canceled' })).status).toBe(200);
    const certificate = await whenWorkers(user, cancellationId, { acknowledged: 1 });
    expect(lineOf(certificate, tree.root).acknowledged?.by).toBe('worker');
    expect((await user.events(tree.root)).body.events).toEqual(before);
    expect(await agent.late(tree.root)).toEqual([]);
  });

  it('a worker that writes after its ack is at it again: the certificate is confirmed no longer', async () => {
    const tree = await grow(user, agent, branch('P'));
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await agent.acknowledge(tree.root);
    await settled(user, cancellationId, 'confirmed');
    expect((await agent.emit(tree.root, 'working', 'still here')).status).toBe(409);
    const reopened = await whenWorkers(user, cancellationId, { wroteLate: 1 });
    expect(reopened).toMatchObject({ status: 'settled', unconfirmed: [tree.root] });
    await agent.acknowledge(tree.root);
    expect((await settled(user, cancellationId, 'confirmed')).workers).toMatchObject({ acknowledged: 1 });
  });

  it('ack needs a cancellation, decline one that is open; unknown fields are refused', async () => {
    const { taskId } = (await user.create()).body;
    await agent.emit(taskId, 'working');
    expect((await agent.acknowledge(taskId)).problem).toMatchObject({
      status: 404,
      code: 'cancellation-not-found',
    });
    expect((await agent.decline(taskId)).problem).toMatchObject({
      status: 409,
      code: 'transition-not-allowed',
      to: 'declined',
    });
    for (const path of ['ack', 'decline'])
      for (const [body, field] of [
        [{ colour: 'red' }, 'colour'],
        [{ note: 7 }, 'note'],
      ] as const) {
        const answer = await agent.post(`/tasks/${taskId}/cancellation/${path}`, body);
        expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
        expect(answer.problem.field).toContain(field);
      }
    await user.cancel(taskId);
    expect((await agent.decline(taskId)).problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
    expect((await agent.acknowledge('unknown')).problem.code).toBe('task-not-found');
  });

  it('ack while asked is noted and ends nothing; under an idempotency key it is one ack', async () => {
    const tree = await grow(user, agent, branch('P'));
    const { cancellationId } = (await user.cancel(tree.root, { mode: 'cooperative' })).body;
    const path = `/tasks/${tree.root}/cancellation/ack`;
    const key = { 'Idempotency-Key': 'ack-once' };
    const first = await agent.post(path, { note: 'heard' }, key);
    expect([first.status, first.body]).toEqual([200, { cancellationId }]);
    expect((await agent.post(path, { note: 'heard' }, key)).body).toEqual(first.body);
    expect((await user.row(tree.root)).body.state).toBe('TASK_STATE_WORKING');
    expect(lineOf(await wholeCertificate(user, cancellationId), tree.root)).toMatchObject({
      outcome: 'waiting',
      worker: 'acknowledged',
    });
    await agent.emit(tree.root, 'completed', 'done');
    const certificate = await settled(user, cancellationId, 'confirmed');
    expect(lineOf(certificate, tree.root)).toMatchObject({ outcome: 'lostRace', worker: 'none' });
  });

  it('a wait answers the certificate as it is when its time is over, and refuses what it does not know', async () => {
    const tree = await family();
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await settled(user, cancellationId);
    const asItIs = await user.certificate(cancellationId, 'wait=confirmed&timeoutMs=20');
    expect([asItIs.status, asItIs.body.status]).toEqual([200, 'settled']);
    for (const [query, field] of [
      ['wait=soon', 'wait'],
      ['wait=settled&timeoutMs=-1', 'timeoutMs'],
      ['wait=settled&timeoutMs=soon', 'timeoutMs'],
      ['nodesAfter=nobody', 'nodesAfter'],
    ] as const)
      expect((await user.certificate(cancellationId, query)).problem).toMatchObject({ status: 400, field });
    expect((await user.certificate('nope', 'wait=settled')).problem.status).toBe(404);
  });
});
