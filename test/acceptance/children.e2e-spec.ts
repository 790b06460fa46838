import { describe, expect, it } from '@jest/globals';
import {
  alice,
  bob,
  branch,
  cancellationIn,
  endOf,
  eventually,
  grow,
  inParallel,
  LedgerApi,
  lineOf,
  mallory,
  outcomesOf,
  settled,
  type TreeNode,
  useService,
  workerAgent,
} from '../support/index.js';

describe('parents and children', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const newTask = async (): Promise<string> => (await user.create()).body.taskId;

  it('a child is born under its parent and takes tenant, owner and context of it', async () => {
    const parent = (await user.create({ contextId: 'family' })).body;
    const child = await agent.create({ parent: { taskId: parent.taskId, policy: 'abandon' } });
    expect(child.status).toBe(201);
    expect(child.body).toMatchObject({
      parentTaskId: parent.taskId,
      policy: 'abandon',
      onEnd: 'abandon',
      owner: 'alice',
      tenant: 'acme',
      contextId: 'family',
    });
    expect(child.body.createdAt > parent.createdAt).toBe(true);
    expect((await user.row(parent.taskId)).body.children).toEqual({ total: 1 });
    expect(await user.eventTypes(parent.taskId)).toEqual(['TaskSubmitted', 'ChildLinked']);
  });

  it('an existing task is adopted: 201 with the terms of the link', async () => {
    const parent = await newTask();
    const child = await newTask();
    const answer = await agent.link(parent, { taskId: child });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ parentTaskId: parent, taskId: child, policy: 'cascade', onEnd: 'abandon' });
    expect((await user.row(child)).body).toMatchObject({ parentTaskId: parent, policy: 'cascade' });
    expect(await user.eventTypes(child)).toEqual(['TaskSubmitted', 'ParentAssigned']);
  });

  it.each([
    [{}, 'taskId'],
    [{ taskId: 'x', policy: 'cooperative', graceMs: 10 }, 'graceMs'],
    [{ taskId: 'x', colour: 'red' }, 'colour'],
  ])('%j is 400 and names %s', async (body, field) => {
    const answer = await agent.link(await newTask(), body);
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(answer.problem.field).toContain(field);
  });

  it('the end of a parent stops its onEnd: cascade children, under a cancellation of the ledger’s own', async () => {
    const tree = await grow(
      user,
      agent,
      branch('P', [
        branch('K', [branch('K1'), branch('K2', [], { policy: 'abandon', onEnd: 'cascade' })], {
          onEnd: 'cascade',
        }),
        branch('L'),
        branch('M', [branch('M1', [], { onEnd: 'cascade' })], { state: 'completed', onEnd: 'cascade' }),
      ]),
    );
    const ended = await agent.emit(tree.root, 'completed', 'done');
    expect(ended.body).not.toHaveProperty('cancellationId');
    const end = await eventually('the end of K', async () => {
      const { status } = (await user.row(tree.id('K'))).body;
      return status === 'running' ? undefined : endOf(user, tree.id('K'));
    });
    expect(end).toMatchObject({ type: 'TaskStopped', data: { stoppedBy: 'orphaned' } });
    const finish = await endOf(user, tree.root);
    expect(end.metadata).toMatchObject({
      principal: 'system',
      $causationId: finish.id,
      $correlationId: end.data.cancellationId,
    });
    const certificate = await settled(user, cancellationIn(end));
    expect(certificate).toMatchObject({
      rootTaskId: tree.root,
      parentEnded: true,
      mode: 'immediate',
      requestedBy: { principal: 'system', role: 'system', via: 'system' },
    });
    expect(certificate.reason).toContain('onEnd: cascade');
    const states = await Promise.all(
      tree.names.map(async (name) => [name, (await user.row(tree.id(name))).body.state]),
    );
    // K1 does not end with K, which was stopped: its onEnd says so, and policy is for cancels that people ask for.
    expect(Object.fromEntries(states)).toEqual({
      P: 'TASK_STATE_COMPLETED',
      K: 'TASK_STATE_FAILED',
      K1: 'TASK_STATE_WORKING',
      K2: 'TASK_STATE_FAILED',
      L: 'TASK_STATE_WORKING',
      M: 'TASK_STATE_COMPLETED',
      M1: 'TASK_STATE_FAILED',
    });
    expect(lineOf(certificate, tree.id('K2'))).toMatchObject({ outcome: 'canceled', depth: 2 });
    // The end of M had its own answer, before.
    const [ofM1] = (await user.cancellationsOf(tree.id('M1'))).body;
    expect(ofM1).toMatchObject({ rootTaskId: tree.id('M'), path: [tree.id('M'), tree.id('M1')] });
  });

  it('a parent without onEnd: cascade children ends without any cancellation', async () => {
    const tree = await grow(user, agent, branch('P', [branch('K'), branch('L', [], { onEnd: 'cascade' })]));
    await agent.emit(tree.id('L'), 'completed');
    await agent.emit(tree.root, 'failed', 'broke');
    // The marker ends after the parent did: whatever the ledger had to say about that one stands by then.
    const marker = await grow(user, agent, branch('X', [branch('Y', [], { onEnd: 'cascade' })]));
    await agent.emit(marker.root, 'completed');
    await eventually('the end of the marker', async () =>
      (await user.row(marker.id('Y'))).body.status === 'killed' ? true : undefined,
    );
    expect((await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations).toEqual([]);
    expect((await user.row(tree.id('K'))).body.state).toBe('TASK_STATE_WORKING');
  });

  it('when the parent is cancelled, policy alone counts, whatever onEnd says', async () => {
    const tree = await grow(
      user,
      agent,
      branch('P', [
        branch('K', [], { policy: 'abandon', onEnd: 'cascade' }),
        branch('L', [], { onEnd: 'abandon' }),
      ]),
    );
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'canceled', K: 'abandoned', L: 'canceled' });
    expect((await user.row(tree.id('K'))).body.state).toBe('TASK_STATE_WORKING');
    expect((await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations).toHaveLength(1);
  });

  it('a link that would close a circle, a second parent and a task’s own child are refused', async () => {
    const [one, two, three] = [await newTask(), await newTask(), await newTask()];
    expect((await agent.link(one, { taskId: two })).status).toBe(201);
    for (const [parent, child] of [
      [two, one],
      [one, one],
      [three, two],
    ] as const) {
      const refused = await agent.link(parent, { taskId: child });
      expect(refused.problem).toMatchObject({
        status: 409,
        code: 'link-refused',
        reason: expect.any(String),
      });
    }
    expect((await user.row(one)).body).not.toHaveProperty('parentTaskId');
  });

  it('an ended parent takes no child; an ended task is not adopted', async () => {
    const [older, parent, child] = [await newTask(), await newTask(), await newTask()];
    await agent.emit(parent, 'completed');
    expect((await agent.link(parent, { taskId: child })).problem.code).toBe('task-is-terminal');
    expect((await agent.create({ parent: { taskId: parent } })).problem.code).toBe('task-is-terminal');
    expect((await agent.link(older, { taskId: parent })).problem).toMatchObject({
      status: 409,
      code: 'task-is-terminal',
    });
  });

  it('tasks of others are not found, on either side of the link', async () => {
    const own = await newTask();
    const foreign = (await new LedgerApi(service, mallory).create()).body.taskId;
    const colleague = (await new LedgerApi(service, bob).create()).body.taskId;
    for (const other of [foreign, colleague, 'unknown']) {
      expect((await user.link(own, { taskId: other })).problem.code).toBe('task-not-found');
      expect((await user.link(other, { taskId: own })).problem.code).toBe('task-not-found');
      expect((await user.create({ parent: { taskId: other } })).problem.code).toBe('task-not-found');
    }
    expect((await user.row(own)).body.children.total).toBe(0);
  });

  it('the tree shows the family with states and terms, and what was left out', async () => {
    const root = await newTask();
    const [one, two] = await Promise.all([
      agent.create({ parent: { taskId: root } }),
      agent.create({ parent: { taskId: root, policy: 'abandon' } }),
    ]);
    const below = await agent.create({ parent: { taskId: one.body.taskId } });
    await agent.emit(below.body.taskId, 'completed');
    const answer = await user.tree(root);
    expect(answer.position).not.toBeNull();
    const shape = ({ taskId, state, policy, children }: TreeNode): unknown => ({
      taskId,
      state,
      ...(policy === undefined ? {} : { policy }),
      children: children.map(shape),
    });
    const [first, second] = [one.body.taskId, two.body.taskId];
    expect(answer.body.taskId).toBe(root);
    const nodes = answer.body.children.map(shape);
    expect(nodes).toHaveLength(2);
    expect(nodes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          taskId: first,
          policy: 'cascade',
          children: [expect.objectContaining({ taskId: below.body.taskId, children: [] })],
        }),
        expect.objectContaining({ taskId: second, policy: 'abandon', children: [] }),
      ]),
    );
    const shallow = (await user.tree(root, 'depth=1')).body;
    expect(JSON.stringify(shallow)).not.toContain(below.body.taskId);
    expect(JSON.stringify(shallow)).toContain('"more":true');
    expect((await user.tree(root, 'depth=0x')).status).toBe(400);
  });

  it('rows tell open children and the root, and filter by both', async () => {
    const root = await newTask();
    const [one, two] = [
      (await agent.create({ parent: { taskId: root } })).body.taskId,
      (await agent.create({ parent: { taskId: root } })).body.taskId,
    ];
    const below = (await agent.create({ parent: { taskId: one } })).body.taskId;
    await agent.emit(two, 'completed');
    const byRoot = (await user.rows(`rootTaskId=${root}`)).body.rows;
    expect(new Set(byRoot.map(({ taskId }) => taskId))).toEqual(new Set([root, one, two, below]));
    expect(byRoot.find(({ taskId }) => taskId === root)).toMatchObject({
      openChildren: 1,
      children: { total: 2 },
    });
    const byParent = (await user.rows(`parentTaskId=${root}`)).body.rows;
    expect(new Set(byParent.map(({ taskId }) => taskId))).toEqual(new Set([one, two]));
    for (const { rootTaskId } of byParent) expect(rootTaskId).toBe(root);
  });

  it.each(['abandon', 'cascade'])(
    '50 links against the parent’s end, onEnd %s: each is a child on the stream, a late link or a refusal',
    async (onEnd) => {
      const parent = await newTask();
      const children = await inParallel(50, 25, newTask);
      const linking = children.map((taskId) => agent.link(parent, { taskId, onEnd }));
      const [ended, ...links] = await Promise.all([agent.emit(parent, 'completed'), ...linking]);
      expect(ended.status).toBe(200);
      for (const link of links) expect([201, 409]).toContain(link.status);
      const onStream = (await user.eventTypes(parent)).filter((type) => type === 'ChildLinked').length;
      expect((await user.eventTypes(parent)).at(-1)).toBe('TaskCompleted');
      const accepted = children.filter((_, index) => links[index]?.status === 201);
      expect(accepted.length).toBeGreaterThanOrEqual(onStream);
      const inTree = (await user.tree(parent, 'limit=1000')).body.children;
      expect(inTree).toHaveLength(accepted.length);
      expect(inTree.filter(({ late }) => late === true)).toHaveLength(accepted.length - onStream);
      await eventually('what ends with the parent', async () => {
        const running = (await user.rows(`parentTaskId=${parent}&status=running&pageSize=1`)).body.totalSize;
        return running === (onEnd === 'abandon' ? accepted.length : 0) ? true : undefined;
      });
      if (onEnd === 'abandon' || accepted.length === 0) return;
      const [one] = (await user.cancellations(`rootTaskId=${parent}`)).body.cancellations;
      const certificate = await settled(user, one?.cancellationId ?? '');
      expect(certificate.nodes.map(({ taskId }) => taskId).sort()).toEqual([parent, ...accepted].sort());
      expect(certificate.counts).toMatchObject({ canceled: accepted.length });
    },
  );

  it('a child that was refused is as it was, and may be linked to another parent', async () => {
    const [ended, open, child] = [await newTask(), await newTask(), await newTask()];
    await agent.emit(ended, 'completed');
    expect((await agent.link(ended, { taskId: child })).status).toBe(409);
    expect((await agent.link(open, { taskId: child })).status).toBe(201);
  });

  it('the link that stands, asked for again, is answered the same and written once', async () => {
    const [parent, child] = [await newTask(), await newTask()];
    const first = await agent.link(parent, { taskId: child, policy: 'cooperative', graceMs: 5_000 });
    const again = await agent.link(parent, { taskId: child, policy: 'cooperative', graceMs: 5_000 });
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(await user.eventTypes(parent)).toEqual(['TaskSubmitted', 'ChildLinked']);
    expect(await user.eventTypes(child)).toEqual(['TaskSubmitted', 'ParentAssigned']);
    expect((await agent.link(parent, { taskId: child })).problem.code).toBe('link-refused');
  });
});
