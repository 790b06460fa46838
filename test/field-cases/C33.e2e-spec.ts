import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  branch,
  c26Tree,
  cancellationIn,
  type Certificate,
  endOf,
  eventually,
  grow,
  LedgerApi,
  rebuildAll,
  settled,
  type Tree,
  useService,
  workerAgent,
} from '../support/index.js';

const requestId = 'req-c33';
const metadata = { reason: 'budget exceeded', ticket: 'OPS-7' };
/** Of a task that ends by itself: long enough to look at it before. */
const deadlineMs = 1_500;

describe('C33 who cancelled, and why', () => {
  const service = useService();
  const rpc = new A2aRpc(service, al2);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  let tree: Tree;
  let cancellationId: string;
  let certificate: Certificate;
  let askedFrom: string;
  let askedUntil: string;

  beforeAll(async () => {
    tree = await grow(user, agent, c26Tree);
    askedFrom = new Date().toISOString();
    const answer = await rpc.call('CancelTask', { id: tree.root, metadata }, { 'X-Request-Id': requestId });
    askedUntil = new Date().toISOString();
    expect(answer.code).toBeUndefined();
    await delay(10);
    const again = await user.cancel(tree.root, { reason: 'me too' });
    cancellationId = again.body.cancellationId;
    certificate = await settled(user, cancellationId);
  }, 60_000);

  it('C33 the certificate says who, why, when, over which protocol and in which request', () => {
    expect(certificate).toMatchObject({
      rootTaskId: tree.root,
      requestedBy: { principal: 'al2', role: 'operator', via: 'a2a-jsonrpc', requestId },
      mode: 'immediate',
      reason: 'budget exceeded',
      metadata,
    });
    expect(certificate.requestedAt >= askedFrom && certificate.requestedAt <= askedUntil).toBe(true);
  });

  it('C33 the second request is noted as a repeat by alice, and adds nothing to the task', async () => {
    expect(certificate.repeats).toHaveLength(1);
    expect(certificate.repeats[0]).toMatchObject({
      by: { principal: 'alice', role: 'user', via: 'ledger-api' },
    });
    expect((certificate.repeats[0]?.at ?? '') > certificate.requestedAt).toBe(true);
    expect((await endOf(user, tree.root)).metadata.principal).toBe('al2');
  });

  it.each([
    ['A2', ['P', 'A', 'A1', 'A2'], 'canceled'],
    ['B7', ['P', 'B', 'B7'], 'canceled'],
    ['C', ['P', 'C'], 'alreadyTerminal'],
    ['C1', ['P', 'C', 'C1'], 'canceled'],
    ['D', ['P', 'D'], 'abandoned'],
    ['P', ['P'], 'canceled'],
  ])(
    'C33 of %s it can be asked which cancellation came to it, over which path, with what outcome',
    async (name, path, outcome) => {
      const { body } = await user.cancellationsOf(tree.id(name));
      expect(body).toHaveLength(1);
      expect(body[0]).toMatchObject({
        cancellationId,
        rootTaskId: tree.root,
        path: path.map((each) => tree.id(each)),
        outcome,
        requestedBy: { principal: 'al2', role: 'operator', via: 'a2a-jsonrpc', requestId },
        reason: 'budget exceeded',
      });
      const line = certificate.nodes.find(({ taskId }) => taskId === tree.id(name));
      expect(line).toMatchObject({ outcome, depth: path.length - 1 });
      expect(line?.policy).toBe(name === 'P' ? undefined : name === 'D' ? 'abandon' : 'cascade');
    },
  );

  it('C33 why goes from the last state of a descendant up to the request', async () => {
    const steps = (await user.why(tree.id('A2'))).body;
    const streams = steps.map(({ stream, type }) => [stream.split('-')[0], tree.named(stream), type]);
    expect(streams.slice(0, 4).map(([, stream, type]) => [stream, type])).toEqual(
      ['A2', 'A1', 'A', 'P'].map((name) => [`ledger.task-${name}`, 'TaskCanceled']),
    );
    expect(steps[0]).toMatchObject({ principal: 'system', via: 'system', reason: 'budget exceeded' });
    expect(steps.find(({ stream }) => stream.endsWith(tree.root))).toMatchObject({
      principal: 'al2',
      via: 'a2a-jsonrpc',
      reason: 'budget exceeded',
    });
    for (const { at, revision } of steps) {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(revision).toEqual(expect.any(Number));
    }
  });

  it('C33 why goes through a parent that had ended by itself', async () => {
    const steps = (await user.why(tree.id('C1'))).body.map(({ stream, type }) => [tree.named(stream), type]);
    expect(steps[0]).toEqual(['ledger.task-C1', 'TaskCanceled']);
    expect(steps).toContainEqual(['ledger.task-P', 'TaskCanceled']);
  });

  it.each([
    ['text', 'text/plain'],
    ['mermaid', 'text/'],
  ])('C33 why and the certificate are told as %s, for people', async (format, type) => {
    const why = await user.whyAs(tree.id('A2'), format);
    const told = await user.get(`/cancellations/${cancellationId}?format=${format}`);
    for (const answer of [why, told]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(type);
      expect(answer.text).toContain(tree.id('A2'));
      if (format === 'mermaid') expect(answer.text).toMatch(/^flowchart /);
    }
    for (const { text } of format === 'text' ? [why, told] : [why]) {
      expect(text).toContain('budget exceeded');
      expect(text).toContain('al2');
    }
    // What a person must see at a glance: who was spared, and what had ended before.
    for (const outcome of ['abandoned', 'alreadyTerminal', 'canceled']) expect(told.text).toContain(outcome);
  });

  it('C33 an unknown format is refused and named', async () => {
    expect((await user.whyAs(tree.id('A2'), 'pdf')).problem).toMatchObject({ status: 400, field: 'format' });
    expect((await user.get(`/cancellations/${cancellationId}?format=pdf`)).problem).toMatchObject({
      status: 400,
      field: 'format',
    });
  });

  it('C33 a cancel of the system names its rule, on the task and on what ends with it', async () => {
    const deadline = new Date(Date.now() + deadlineMs).toISOString();
    const parent = (await user.create({ deadline })).body.taskId;
    const child = (await agent.create({ parent: { taskId: parent, onEnd: 'cascade' } })).body.taskId;
    const end = await eventually('the deadline', async () => {
      return (await user.row(parent)).body.status === 'killed' ? endOf(user, parent) : undefined;
    });
    expect(end.type).toBe('TaskStopped');
    expect(end.data).toMatchObject({ stoppedBy: 'deadline' });
    expect(end.metadata).toMatchObject({ principal: 'system', role: 'system', via: 'system' });
    expect(JSON.stringify(end.data)).toContain(deadline);
    expect(end.at >= deadline).toBe(true);

    const orphan = await eventually('the end of the child', async () => {
      return (await user.row(child)).body.status === 'killed' ? endOf(user, child) : undefined;
    });
    expect(orphan.data.stoppedBy).toBe('orphaned');
    const answering = await settled(user, cancellationIn(orphan));
    expect(answering).toMatchObject({
      rootTaskId: parent,
      requestedBy: { principal: 'system', role: 'system', via: 'system' },
    });
    expect(answering.reason).toContain('onEnd: cascade');
    const [of] = (await user.cancellationsOf(child)).body;
    expect(of).toMatchObject({ rootTaskId: parent, path: [parent, child], outcome: 'canceled' });
    const why = (await user.why(child)).body;
    expect(why[0]).toMatchObject({ type: 'TaskStopped', principal: 'system' });
    expect(why.map(({ stream }) => stream)).toContain(`ledger.task-${parent}`);
  });

  it('C33 everything that was said is the same after the views were rebuilt, and after a restart', async () => {
    const told = async (): Promise<unknown> => ({
      certificate: (await user.certificate(cancellationId)).body,
      listed: (await operator.cancellations('pageSize=100')).body.cancellations,
      byRequester: (await operator.cancellations('requestedBy=al2')).body.cancellations,
      of: await Promise.all(tree.names.map(async (name) => (await user.cancellationsOf(tree.id(name))).body)),
      why: (await user.why(tree.id('A2'))).body,
      events: (await user.events(tree.id('A2'))).body,
    });
    const before = await told();
    await rebuildAll(operator);
    expect(await told()).toEqual(before);
    await service.restart();
    expect(await told()).toEqual(before);
  });

  it('C33 the audit lists cancellations by requester, root, status and time', async () => {
    const other = await grow(user, agent, branch('X', [branch('Y')]));
    const { cancellationId: mine } = (await user.cancel(other.root)).body;
    await settled(user, mine);
    const idsOf = async (query: string): Promise<string[]> =>
      (await operator.cancellations(query)).body.cancellations.map((one) => one.cancellationId);
    expect(await idsOf('requestedBy=al2')).toEqual([cancellationId]);
    expect(await idsOf(`rootTaskId=${other.root}`)).toEqual([mine]);
    expect((await idsOf('requestedBy=alice'))[0]).toBe(mine);
    expect(await idsOf('status=running')).toEqual([]);
    expect(new Set(await idsOf('status=settled'))).toEqual(new Set([cancellationId, mine]));
    const since = (await user.certificate(mine)).body.requestedAt;
    expect(await idsOf(`since=${since}`)).toEqual([mine]);
    const [first] = (await operator.cancellations('pageSize=1')).body.cancellations;
    expect(first).toMatchObject({ cancellationId: mine, rootTaskId: other.root, status: 'settled' });
  });

  it.each(['status=open', 'since=yesterday', 'pageSize=0', 'pageToken=nonsense'])(
    'C33 the audit refuses %s and names it',
    async (query) => {
      const [field] = query.split('=');
      expect((await operator.cancellations(query)).problem).toMatchObject({
        status: 400,
        code: 'invalid-request',
        field,
      });
    },
  );
});
