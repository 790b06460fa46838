import { describe, expect, it } from '@jest/globals';
import {
  alice,
  bob,
  inParallel,
  LedgerApi,
  mallory,
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

  it('onEnd: cascade is not served yet, and says so', async () => {
    const [parent, child] = [await newTask(), await newTask()];
    for (const answer of [
      await agent.link(parent, { taskId: child, onEnd: 'cascade' }),
      await agent.create({ parent: { taskId: parent, onEnd: 'cascade' } }),
    ]) {
      expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
      expect(answer.problem.field).toContain('onEnd');
    }
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
    const shallow = (await user.tree(root, 'depth=1')).body as TreeNode & { more?: boolean };
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

  it('50 links against the parent’s end: each is a child on the stream, a late link or a refusal', async () => {
    const parent = await newTask();
    const children = await inParallel(50, 25, newTask);
    const linking = children.map((taskId) => agent.link(parent, { taskId }));
    const [ended, ...links] = await Promise.all([agent.emit(parent, 'completed'), ...linking]);
    expect(ended.status).toBe(200);
    for (const link of links) expect([201, 409]).toContain(link.status);
    const onStream = (await user.eventTypes(parent)).filter((type) => type === 'ChildLinked').length;
    expect((await user.eventTypes(parent)).at(-1)).toBe('TaskCompleted');
    const accepted = links.filter(({ status }) => status === 201).length;
    expect(accepted).toBeGreaterThanOrEqual(onStream);
    const inTree = (await user.tree(parent, 'limit=1000')).body.children.length;
    expect(inTree).toBe(accepted);
  });
});
