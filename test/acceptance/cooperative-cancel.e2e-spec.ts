import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#domain';
import {
  A2aRpc,
  agentMessage,
  alice,
  branch,
  endOf,
  eventually,
  type Frame,
  grow,
  ledgerExtension,
  LedgerApi,
  lineOf,
  outcomesOf,
  settled,
  stateIn,
  streamResponse,
  textsOf,
  type Tree,
  userMessage,
  useService,
  wholeCertificate,
  workerAgent,
} from '../support/index.js';

const shortestGraceMs = 1_000;
const longGraceMs = 600_000;

/** What the ledger says of an open request in the metadata of a task, or of a status update. */
const factsIn = (metadata: JsonObject | undefined): unknown => metadata?.[ledgerExtension];

describe('a cooperative cancel', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  /** P works, K below it too. */
  const pair = (terms = {}): Promise<Tree> => grow(user, agent, branch('P', [branch('K', [], terms)]));
  const ask = async (taskId: string, more: JsonObject = {}): Promise<string> => {
    const answer = await user.cancel(taskId, { mode: 'cooperative', graceMs: longGraceMs, ...more });
    expect(answer.body.state).toBe('TASK_STATE_WORKING');
    return answer.body.cancellationId;
  };
  const stateOf = async (taskId: string): Promise<string> => (await user.row(taskId)).body.state;
  const ended = (taskId: string): Promise<string> =>
    eventually('the end', async () => {
      const { status, state } = (await user.row(taskId)).body;
      return status === 'killed' ? state : undefined;
    });
  const textIn = (frame: Frame | undefined): string =>
    textsOf(frame && streamResponse(frame).statusUpdate?.status.message?.parts).join();

  it('asks a working task: its state stays, row and certificate say until when, and nothing below is touched', async () => {
    const tree = await pair();
    const answer = await user.cancel(tree.root, {
      mode: 'cooperative',
      graceMs: longGraceMs,
      reason: 'too slow',
    });
    expect([answer.status, answer.body.state]).toEqual([202, 'TASK_STATE_WORKING']);
    const { cancellationId } = answer.body;
    const row = (await user.row(tree.root)).body;
    expect(row).toMatchObject({ status: 'running', state: 'TASK_STATE_WORKING', cancellationId });
    const { requestedAt = '', dueAt = '' } = row.cancellation ?? {};
    expect(Date.parse(dueAt) - Date.parse(requestedAt)).toBe(longGraceMs);
    const certificate = await wholeCertificate(user, cancellationId);
    expect(certificate).toMatchObject({
      status: 'running',
      mode: 'cooperative',
      survivors: [tree.root],
      unconfirmed: [],
    });
    expect(certificate.nodes).toMatchObject([{ taskId: tree.root, depth: 0, outcome: 'waiting' }]);
    expect(await user.eventTypes(tree.root)).toContain('CancellationRequested');
    expect(await user.eventTypes(tree.id('K'))).toEqual(['TaskSubmitted', 'TaskStarted']);
    const unready = await user.certificate(cancellationId, 'wait=settled&timeoutMs=1');
    expect(unready.body.status).toBe('running');
  });

  it('watchers get one status update with the same state and an explanation, and pollers see the request', async () => {
    const tree = await pair();
    const watcher = await rpc.subscribe(tree.root);
    await watcher.take(1);
    const before = (await rpc.getTask(tree.root)).result;
    const cancellationId = await ask(tree.root, { reason: 'too slow' });
    const { dueAt } = (await user.row(tree.root)).body.cancellation ?? {};

    const [asked] = await watcher.take(1);
    expect(asked === undefined ? undefined : stateIn(asked)).toBe('TASK_STATE_WORKING');
    expect(textIn(asked)).toContain('asked to stop');
    expect(textIn(asked)).toContain('too slow');
    expect(textIn(asked)).toContain(dueAt);
    const update = asked && (streamResponse(asked).statusUpdate as { metadata?: JsonObject } | undefined);
    expect(factsIn(update?.metadata)).toMatchObject({ cancellationId, dueAt });

    const polled = (await rpc.getTask(tree.root)).result;
    expect(factsIn(polled.metadata)).toMatchObject({ cancellationId, dueAt });
    expect(polled.status).toEqual(before.status);

    await agent.transition(tree.root, { to: 'canceled', message: agentMessage('stopped in time') });
    const rest = await watcher.rest();
    expect(rest.map(stateIn)).toEqual(['TASK_STATE_CANCELED']);
    expect(textIn(rest[0])).toContain('stopped in time');
    expect(factsIn((await rpc.getTask(tree.root)).result.metadata)).toBeUndefined();
  });

  it('new messages of users are refused on both doors and leave no trace; the agent may still speak', async () => {
    const tree = await pair();
    const cancellationId = await ask(tree.root);
    const { dueAt } = (await user.row(tree.root)).body.cancellation ?? {};
    const before = (await user.events(tree.root)).body.events;
    expect((await rpc.send('one more thing', { taskId: tree.root })).error.code).toBe(-32004);
    expect(
      (await rpc.call('SendStreamingMessage', { message: { ...userMessage('x'), taskId: tree.root } })).code,
    ).toBe(-32004);
    expect((await user.message(tree.root, userMessage('one more'))).problem).toMatchObject({
      status: 409,
      code: 'cancellation-open',
      cancellationId,
      dueAt,
    });
    expect((await user.events(tree.root)).body.events).toEqual(before);
    expect((await agent.message(tree.root, agentMessage('give me a moment'))).status).toBe(200);
    expect((await agent.chunk(tree.root, 'a1', ['what I have'])).status).toBe(200);
    expect((await agent.emit(tree.root, 'working', 'cleaning up')).status).toBe(200);
  });

  it('the agent finishes inside its grace: its result stands, lostRace, and the cascade goes on below it', async () => {
    const tree = await pair();
    const cancellationId = await ask(tree.root);
    expect((await agent.transition(tree.root, { to: 'completed', result: { done: true } })).status).toBe(200);
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'lostRace', K: 'canceled' });
    expect(certificate.counts).toMatchObject({ lostRace: 1, canceled: 1 });
    expect((await user.row(tree.root)).body).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      result: { done: true },
    });
    const [finish, below] = [await endOf(user, tree.root), await endOf(user, tree.id('K'))];
    expect(below.metadata.$causationId).toBe(finish.id);
    expect(lineOf(certificate, tree.id('K')).reachedAt).toBe(finish.at);
  });

  it('the agent fails inside its grace: lostRace as well', async () => {
    const tree = await pair();
    const cancellationId = await ask(tree.root);
    expect((await agent.emit(tree.root, 'failed', 'broke on the way')).status).toBe(200);
    expect(outcomesOf(tree, await settled(user, cancellationId))).toEqual({ P: 'lostRace', K: 'canceled' });
    expect(await stateOf(tree.root)).toBe('TASK_STATE_FAILED');
  });

  it('the agent reports canceled: that ends the task and acknowledges it; it may not do so unasked', async () => {
    const tree = await pair();
    expect((await agent.transition(tree.root, { to: 'canceled' })).problem).toMatchObject({
      status: 409,
      code: 'transition-not-allowed',
    });
    const cancellationId = await ask(tree.root);
    expect((await agent.transition(tree.root, { to: 'canceled' })).body).toMatchObject({
      state: 'TASK_STATE_CANCELED',
      stoppedBy: 'user',
    });
    const certificate = await settled(user, cancellationId);
    expect(lineOf(certificate, tree.root)).toMatchObject({
      outcome: 'canceled',
      worker: 'acknowledged',
      acknowledged: { by: 'worker' },
    });
    expect(certificate.unconfirmed).toEqual([tree.id('K')]);
  });

  it('the agent declines: the task goes on, takes messages again, and shields what is below it', async () => {
    const tree = await pair();
    const watcher = await rpc.subscribe(tree.root);
    await watcher.take(1);
    const cancellationId = await ask(tree.root);
    const declined = await agent.decline(tree.root, { note: 'a minute from the end' });
    expect([declined.status, declined.body]).toEqual([200, { cancellationId }]);
    const [, told] = await watcher.take(2);
    watcher.destroy();
    expect(told === undefined ? undefined : stateIn(told)).toBe('TASK_STATE_WORKING');
    expect(textIn(told)).toContain('a minute from the end');

    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'refused' });
    expect(certificate).toMatchObject({
      status: 'confirmed',
      counts: { refused: 1 },
      survivors: [tree.root],
    });
    expect((await user.row(tree.root)).body).not.toHaveProperty('cancellation');
    expect(factsIn((await rpc.getTask(tree.root)).result.metadata)).toBeUndefined();
    expect((await user.message(tree.root, userMessage('good, go on'))).status).toBe(200);
    expect((await agent.decline(tree.root)).problem.code).toBe('transition-not-allowed');

    // For another cancellation there is no shield; of the first it stands for ever.
    const second = await ask(tree.root);
    expect(second).not.toBe(cancellationId);
    await agent.transition(tree.root, { to: 'canceled' });
    expect(outcomesOf(tree, await settled(user, second))).toEqual({ P: 'canceled', K: 'canceled' });
    expect(outcomesOf(tree, await wholeCertificate(user, cancellationId))).toEqual({ P: 'refused' });
    expect((await user.certificate(cancellationId)).body.survivors).toEqual([]);
  });

  it('the agent does nothing: at dueAt the ledger ends the task; where it declined, dueAt does nothing', async () => {
    const [silent, declining] = [await pair(), await pair()];
    const graceMs = shortestGraceMs;
    const refused = await ask(declining.root, { graceMs });
    await agent.decline(declining.root);
    const cancellationId = await ask(silent.root, { graceMs });
    const { dueAt = 'z' } = (await user.row(silent.root)).body.cancellation ?? {};
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(silent, certificate)).toEqual({ P: 'forced', K: 'canceled' });
    expect(certificate.counts).toMatchObject({ forced: 1, canceled: 1 });
    const end = await endOf(user, silent.root);
    expect(end.data).toMatchObject({ forced: true, stoppedBy: 'user', cancellationId });
    expect(end.metadata).toMatchObject({ principal: 'system', via: 'system' });
    expect(end.at >= dueAt).toBe(true);
    expect((await user.why(silent.root)).body.at(-1)).toMatchObject({ principal: 'alice' });
    // Asked before the other one and with the same grace: it was due by now.
    expect(await stateOf(declining.root)).toBe('TASK_STATE_WORKING');
    expect((await user.certificate(refused)).body.counts.refused).toBe(1);
  });

  it.each(['submitted', 'input-required', 'auth-required'])(
    'a %s task is not asked but cancelled at once',
    async (state) => {
      const { taskId } = (await user.create()).body;
      if (state !== 'submitted') await agent.emit(taskId, state, 'which one?');
      const answer = await user.cancel(taskId, { mode: 'cooperative' });
      expect(answer.body.state).toBe('TASK_STATE_CANCELED');
      expect(await user.eventTypes(taskId)).not.toContain('CancellationRequested');
    },
  );

  it('asked again in the same way it is the same request: dueAt stays, the repeat is noted', async () => {
    const tree = await pair();
    const cancellationId = await ask(tree.root);
    const before = (await user.events(tree.root)).body.events;
    expect(await ask(tree.root, { graceMs: shortestGraceMs })).toBe(cancellationId);
    expect((await user.events(tree.root)).body.events).toEqual(before);
    expect((await user.certificate(cancellationId)).body.repeats).toHaveLength(1);
  });

  it('an immediate cancel ends the asked task at once, under the open id', async () => {
    const tree = await pair();
    const cancellationId = await ask(tree.root, { reason: 'the first' });
    const answer = await user.cancel(tree.root, { reason: 'now' });
    expect(answer.body).toMatchObject({ cancellationId, state: 'TASK_STATE_CANCELED' });
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'canceled', K: 'canceled' });
    expect([certificate.reason, certificate.repeats.length]).toEqual(['the first', 1]);
  });

  it('an immediate cancel that is wider than the open request ends the task under its own id', async () => {
    const tree = await pair();
    const narrow = await ask(tree.root, { cascade: false });
    const wide = (await user.cancel(tree.root)).body;
    expect([wide.state, wide.cancellationId === narrow]).toEqual(['TASK_STATE_CANCELED', false]);
    expect(outcomesOf(tree, await settled(user, wide.cancellationId))).toEqual({
      P: 'canceled',
      K: 'canceled',
    });
    const certificate = await settled(user, narrow);
    expect(certificate.nodes).toMatchObject([
      { taskId: tree.root, outcome: 'alreadyTerminal', by: wide.cancellationId },
    ]);
    expect((await user.cancellationsOf(tree.root)).body.map((one) => one.cancellationId).sort()).toEqual(
      [narrow, wide.cancellationId].sort(),
    );
  });

  it('over a cooperative link the child is asked for the time of the link, with all below it untouched', async () => {
    const tree = await grow(
      user,
      agent,
      branch('P', [branch('W', [branch('G')], { policy: 'cooperative', graceMs: longGraceMs })]),
    );
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const row = await eventually('the child is asked', async () => {
      const { body } = await user.row(tree.id('W'));
      return body.cancellation === undefined ? undefined : body;
    });
    expect(row).toMatchObject({ state: 'TASK_STATE_WORKING', cancellationId });
    const { requestedAt = '', dueAt = '' } = row.cancellation ?? {};
    expect(Date.parse(dueAt) - Date.parse(requestedAt)).toBe(longGraceMs);
    expect((await user.message(tree.id('W'), userMessage('x'))).problem.code).toBe('cancellation-open');
    expect(await stateOf(tree.id('G'))).toBe('TASK_STATE_WORKING');
    await agent.emit(tree.id('W'), 'completed', 'just in time');
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'canceled', W: 'lostRace', G: 'canceled' });
    expect(lineOf(certificate, tree.id('W'))).toMatchObject({ policy: 'cooperative', depth: 1 });
  });

  it('a child that declines shields its own subtree, and no other', async () => {
    const tree = await grow(
      user,
      agent,
      branch('P', [
        branch('W', [branch('G')], { policy: 'cooperative', graceMs: longGraceMs }),
        branch('K', [branch('H')]),
      ]),
    );
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await eventually('the child is asked', async () => (await user.row(tree.id('W'))).body.cancellation);
    expect((await agent.decline(tree.id('W'))).body).toEqual({ cancellationId });
    const certificate = await settled(user, cancellationId);
    expect(outcomesOf(tree, certificate)).toEqual({
      P: 'canceled',
      W: 'refused',
      K: 'canceled',
      H: 'canceled',
    });
    expect(certificate.survivors).toEqual([tree.id('W')]);
    expect(await stateOf(tree.id('G'))).toBe('TASK_STATE_WORKING');
  });

  it('a request that is open does not shield a child from a cascade; over a cooperative link it is waited for', async () => {
    const tree = await grow(
      user,
      agent,
      branch('P', [
        branch('hard', []),
        branch('soft', [], { policy: 'cooperative', graceMs: shortestGraceMs }),
      ]),
    );
    const own = { hard: await ask(tree.id('hard')), soft: await ask(tree.id('soft')) };
    const { dueAt } = (await user.row(tree.id('soft'))).body.cancellation ?? {};
    const { cancellationId } = (await user.cancel(tree.root)).body;
    expect(await ended(tree.id('hard'))).toBe('TASK_STATE_CANCELED');
    expect((await endOf(user, tree.id('hard'))).data).toMatchObject({ cancellationId, stoppedBy: 'parent' });
    expect((await settled(user, own.hard)).nodes).toMatchObject([
      { outcome: 'alreadyTerminal', by: cancellationId },
    ]);
    const waiting = await eventually('the other child is waited for', async () => {
      const { nodes } = await wholeCertificate(user, cancellationId);
      return nodes.find(({ taskId }) => taskId === tree.id('soft'));
    });
    expect(waiting).toMatchObject({ outcome: 'waiting', dueAt });
    expect((await user.row(tree.id('soft'))).body.cancellation?.dueAt).toBe(dueAt);
    await agent.transition(tree.id('soft'), { to: 'canceled' });
    const certificate = await settled(user, cancellationId);
    expect(lineOf(certificate, tree.id('soft'))).toMatchObject({ outcome: 'alreadyTerminal', by: own.soft });
  });
});
