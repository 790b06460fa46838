import { describe, expect, it } from '@jest/globals';
import {
  al2,
  alice,
  branch,
  type Branch,
  c26Canceled,
  c26Tree,
  type Certificate,
  endsOf,
  eventually,
  grow,
  lineOf,
  LedgerApi,
  leaves,
  settled,
  type Tree,
  useService,
  wholeCertificate,
  wholePlan,
  workerAgent,
} from '../support/index.js';

/** What a plan foretells, as the certificate says it. */
const outcomeOf: Readonly<Record<string, string>> = {
  cancel: 'canceled',
  alreadyTerminal: 'alreadyTerminal',
  abandon: 'abandoned',
};

describe('C51 a family is cancelled by its root, and previewed first', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  /** Position of the newest event of the log. */
  const head = async (): Promise<string> => (await operator.rows('pageSize=1')).body.position;
  const streamsOf = async (tree: Tree): Promise<unknown> =>
    Promise.all(tree.taskIds.map(async (taskId) => (await user.events(taskId)).body.events));
  const placeOf = ({ taskId, parentTaskId, depth, policy }: Certificate['nodes'][number]): unknown => ({
    taskId,
    parentTaskId,
    depth,
    policy,
  });

  it('C51 the dry run lists every node with what would become of it, and writes nothing', async () => {
    const tree = await grow(user, agent, c26Tree);
    const [before, position] = [await streamsOf(tree), await head()];
    const answer = await user.planCancellation(tree.root, { reason: 'enough', metadata: { ticket: 1 } });
    expect(answer.status).toBe(200);
    const plan = answer.body;
    expect(
      Object.fromEntries(plan.nodes.map(({ taskId, planned }) => [tree.nameOf(taskId), planned])),
    ).toEqual({
      ...Object.fromEntries(c26Canceled.map((name) => [name, 'cancel'])),
      C: 'alreadyTerminal',
      D: 'abandon',
    });
    expect(plan.counts).toMatchObject({ cancel: c26Canceled.length, alreadyTerminal: 1, abandon: 1, ask: 0 });
    expect(await head()).toBe(position);
    expect(await streamsOf(tree)).toEqual(before);
    expect((await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations).toEqual([]);
  });

  it('C51 what the dry run foretold is what the same call then does, node by node', async () => {
    const tree = await grow(user, agent, c26Tree);
    const plan = await wholePlan(user, tree.root);
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const certificate = await settled(user, cancellationId);
    expect(certificate.nodes.map(placeOf)).toEqual(
      plan.nodes.map((node) => placeOf({ ...lineOf(certificate, node.taskId), ...node })),
    );
    for (const { taskId, planned } of plan.nodes)
      expect([tree.nameOf(taskId), lineOf(certificate, taskId).outcome]).toEqual([
        tree.nameOf(taskId),
        outcomeOf[planned],
      ]);
  });

  const askedTree: Branch = branch('P', [
    branch('W', [branch('W1', leaves('W1-', 2)), branch('W2', [], { state: 'completed' })], {
      policy: 'cooperative',
      graceMs: 60_000,
    }),
    branch('S', [branch('S1')], { policy: 'cooperative', state: 'submitted' }),
    branch('I', [], { policy: 'cooperative', state: 'input-required' }),
    branch('K', [branch('D', [branch('D1')], { policy: 'abandon' })]),
  ]);

  it('C51 the dry run foretells who is asked, and what waits below it', async () => {
    const tree = await grow(user, agent, askedTree);
    const plan = await wholePlan(user, tree.root);
    const planned = Object.fromEntries(plan.nodes.map((node) => [tree.nameOf(node.taskId), node.planned]));
    expect(planned).toEqual({
      P: 'cancel',
      W: 'ask',
      W1: 'afterParent',
      'W1-1': 'afterParent',
      'W1-2': 'afterParent',
      W2: 'alreadyTerminal',
      S: 'cancel',
      S1: 'cancel',
      I: 'cancel',
      K: 'cancel',
      D: 'abandon',
    });
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const running = await eventually('W asked, all others done', async () => {
      const { nodes } = await wholeCertificate(user, cancellationId);
      const due = plan.nodes.filter(
        (node) => outcomeOf[node.planned] !== undefined && node.taskId !== tree.id('W2'),
      );
      const done = due.every(({ taskId }) =>
        nodes.some((node) => node.taskId === taskId && node.outcome !== 'waiting'),
      );
      return done && nodes.some(({ taskId }) => taskId === tree.id('W')) ? nodes : undefined;
    });
    const outcomes = Object.fromEntries(running.map(({ taskId, outcome }) => [tree.nameOf(taskId), outcome]));
    expect(outcomes).toEqual({
      P: 'canceled',
      W: 'waiting',
      S: 'canceled',
      S1: 'canceled',
      I: 'canceled',
      K: 'canceled',
      D: 'abandoned',
    });
    expect((await user.row(tree.id('W'))).body).toMatchObject({
      state: 'TASK_STATE_WORKING',
      cancellation: { dueAt: expect.any(String) },
    });
    expect((await user.row(tree.id('W1'))).body.state).toBe('TASK_STATE_WORKING');

    expect((await agent.transition(tree.id('W'), { to: 'canceled' })).status).toBe(200);
    const certificate = await settled(user, cancellationId);
    for (const name of ['W', 'W1', 'W1-1', 'W1-2'])
      expect([name, lineOf(certificate, tree.id(name)).outcome]).toEqual([name, 'canceled']);
    expect(lineOf(certificate, tree.id('W2')).outcome).toBe('alreadyTerminal');
    expect((await user.row(tree.id('D1'))).body.state).toBe('TASK_STATE_WORKING');
  });

  it('C51 the dry run of a cooperative cancel asks the root, and one without cascade names the root alone', async () => {
    const tree = await grow(user, agent, branch('P', [branch('K')]));
    const asked = await wholePlan(user, tree.root, { mode: 'cooperative' });
    expect(asked.nodes.map(({ planned }) => planned)).toEqual(['ask', 'afterParent']);
    const alone = await wholePlan(user, tree.root, { cascade: false });
    expect(alone.nodes).toEqual([{ taskId: tree.root, depth: 0, planned: 'cancel' }]);
    const below = await wholePlan(user, tree.root, { descendantsOnly: true });
    expect(below.nodes.map(({ taskId, planned }) => [tree.nameOf(taskId), planned])).toEqual([
      ['K', 'cancel'],
    ]);
    const refused = await agent.emit(tree.root, 'completed').then(() => user.planCancellation(tree.root));
    expect(refused.problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
  });

  it('C51 cascade off stops P only, as a choice; the rest is stopped later, with a new entry of the audit', async () => {
    const tree = await grow(user, agent, c26Tree);
    const alone = (await user.cancel(tree.root, { cascade: false, reason: 'P only' })).body;
    const first = await settled(user, alone.cancellationId);
    expect(first.nodes.map(({ taskId, outcome }) => [tree.nameOf(taskId), outcome])).toEqual([
      ['P', 'canceled'],
    ]);
    const { events } = (await user.events(tree.root)).body;
    expect(events.at(-1)?.data.request).toMatchObject({ cascade: false });
    for (const name of ['A', 'B', 'B20', 'C1'])
      expect([name, (await user.row(tree.id(name))).body.state]).toEqual([name, 'TASK_STATE_WORKING']);

    const rest = await user.cancel(tree.root, { descendantsOnly: true, reason: 'the rest as well' });
    expect([rest.status, rest.body.state]).toEqual([202, 'TASK_STATE_CANCELED']);
    const { cancellationId } = rest.body;
    expect(cancellationId).not.toBe(alone.cancellationId);
    const second = await settled(user, cancellationId);
    expect(second).toMatchObject({
      rootTaskId: tree.root,
      reason: 'the rest as well',
      requestedBy: { principal: 'alice' },
    });
    const outcomes = Object.fromEntries(
      second.nodes.map(({ taskId, outcome }) => [tree.nameOf(taskId), outcome]),
    );
    expect(outcomes).toEqual({
      ...Object.fromEntries(c26Canceled.filter((name) => name !== 'P').map((name) => [name, 'canceled'])),
      C: 'alreadyTerminal',
      D: 'abandoned',
    });
    expect((await user.events(tree.root)).body.events).toEqual(events);
    for (const [taskId, ends] of await endsOf(user, tree.taskIds)) {
      const name = tree.nameOf(taskId);
      const by = name === 'P' ? alone.cancellationId : name === 'C' ? undefined : cancellationId;
      if (name === 'D') expect(ends).toEqual([]);
      else expect([name, ends.map(({ data }) => data.cancellationId)]).toEqual([name, [by]]);
    }
    const listed = (await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations;
    expect(new Set(listed.map((one) => one.cancellationId))).toEqual(
      new Set([alone.cancellationId, cancellationId]),
    );
    expect((await user.cancellationsOf(tree.id('A2'))).body.map((one) => one.cancellationId)).toEqual([
      cancellationId,
    ]);
  });

  it('C51 each call for the descendants is a cancellation of its own; a link made later is not in its scope', async () => {
    const tree = await grow(user, agent, branch('P', [branch('K')]));
    const one = await settled(
      user,
      (await user.cancel(tree.root, { descendantsOnly: true })).body.cancellationId,
    );
    const later = (await agent.create({ parent: { taskId: tree.root } })).body.taskId;
    const two = await settled(
      user,
      (await user.cancel(tree.root, { descendantsOnly: true })).body.cancellationId,
    );
    expect(one.nodes.map(({ taskId }) => taskId)).toEqual([tree.id('K')]);
    expect(lineOf(two, tree.id('K'))).toMatchObject({ outcome: 'alreadyTerminal', by: one.cancellationId });
    expect(lineOf(two, later)).toMatchObject({ outcome: 'canceled' });
    expect((await user.row(tree.root)).body.state).toBe('TASK_STATE_WORKING');
  });
});
