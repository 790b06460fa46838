import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  alice,
  c26Canceled,
  c26Tree,
  type Certificate,
  endsOf,
  grow,
  LedgerApi,
  lineOf,
  outcomesOf,
  settled,
  type StoredEvent,
  type Tree,
  useService,
  workerAgent,
} from '../support/index.js';
import { officialClient } from '../support/official-client.js';

describe('C26 a cancel stops everything that the root started', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  let tree: Tree;
  let before: ReadonlyMap<string, readonly StoredEvent[]>;
  let cancellationId: string;
  let certificate: Certificate;
  let ends: ReadonlyMap<string, readonly StoredEvent[]>;

  const streamsOf = async (): Promise<ReadonlyMap<string, readonly StoredEvent[]>> =>
    new Map(
      await Promise.all(
        tree.names.map(async (name) => [name, (await user.events(tree.id(name))).body.events] as const),
      ),
    );
  const parentOf = (name: string): string =>
    tree.nameOf(certificate.nodes.find(({ taskId }) => taskId === tree.id(name))?.parentTaskId ?? '');

  beforeAll(async () => {
    tree = await grow(user, agent, c26Tree);
    before = await streamsOf();
    const client = await officialClient(service, alice);
    const answer = await client.cancelTask({ id: tree.root, tenant: '', metadata: undefined });
    expect(answer.id).toBe(tree.root);
    const row = (await user.row(tree.root)).body;
    expect(row).toMatchObject({ state: 'TASK_STATE_CANCELED', stoppedBy: 'user' });
    cancellationId = row.cancellationId ?? '';
    certificate = await settled(user, cancellationId);
    ends = await endsOf(user, tree.taskIds);
  }, 60_000);

  it('C26 P, A, A1, A2, B, B1 to B20 and C1 end canceled, each with one event that names the cancellation', async () => {
    for (const name of c26Canceled) {
      const [end, ...more] = ends.get(tree.id(name)) ?? [];
      expect([name, more]).toEqual([name, []]);
      expect([name, end?.type, end?.data.cancellationId, end?.data.stoppedBy]).toEqual([
        name,
        'TaskCanceled',
        cancellationId,
        name === 'P' ? 'user' : 'parent',
      ]);
      expect((await user.row(tree.id(name))).body).toMatchObject({
        status: 'killed',
        state: 'TASK_STATE_CANCELED',
        stoppedBy: name === 'P' ? 'user' : 'parent',
        cancellationId,
      });
    }
  });

  it('C26 C stays completed with the same timestamp and does not shield C1', async () => {
    expect((await user.row(tree.id('C'))).body.state).toBe('TASK_STATE_COMPLETED');
    expect((await user.events(tree.id('C'))).body.events).toEqual(before.get('C'));
    expect(lineOf(certificate, tree.id('C1'))).toMatchObject({ outcome: 'canceled', depth: 2 });
  });

  it('C26 D, linked with abandon, is untouched and recorded as abandoned', async () => {
    expect((await user.row(tree.id('D'))).body.state).toBe('TASK_STATE_WORKING');
    expect((await user.events(tree.id('D'))).body.events).toEqual(before.get('D'));
    expect(lineOf(certificate, tree.id('D'))).toMatchObject({
      outcome: 'abandoned',
      policy: 'abandon',
      worker: 'none',
    });
    expect(certificate.survivors).toEqual([tree.id('D')]);
  });

  it('C26 the certificate lists every node once, with its outcome', () => {
    expect(certificate.nodes).toHaveLength(tree.names.length);
    expect(outcomesOf(tree, certificate)).toEqual({
      ...Object.fromEntries(c26Canceled.map((name) => [name, 'canceled'])),
      C: 'alreadyTerminal',
      D: 'abandoned',
    });
    expect(certificate.counts).toEqual({
      canceled: c26Canceled.length,
      forced: 0,
      alreadyTerminal: 1,
      lostRace: 0,
      abandoned: 1,
      refused: 0,
      unreachable: 0,
      unknownRemote: 0,
    });
    expect(certificate.status).toBe('settled');
    // Every worker was at it, and none has answered.
    expect([...certificate.unconfirmed].sort()).toEqual(c26Canceled.map((name) => tree.id(name)).sort());
    expect(certificate.workers).toMatchObject({ none: 2, unnotified: c26Canceled.length });
  });

  it('C26 each line says over which link the cancellation came, and which event of the task proves it', () => {
    for (const { taskId, parentTaskId, depth, policy, revision } of certificate.nodes) {
      const name = tree.nameOf(taskId);
      expect([name, depth === 0]).toEqual([name, name === 'P']);
      if (name !== 'P') {
        expect([name, depth, policy]).toEqual([
          name,
          lineOf(certificate, parentTaskId ?? '').depth + 1,
          name === 'D' ? 'abandon' : 'cascade',
        ]);
      }
      if (name !== 'D') expect([name, revision]).toEqual([name, ends.get(taskId)?.[0]?.revision]);
    }
    expect(['A', 'A1', 'A2', 'B7', 'C1'].map(parentOf)).toEqual(['P', 'A', 'A1', 'B', 'C']);
  });

  it('C26 each event below the root names what caused it: the end of the task above', () => {
    const root = ends.get(tree.root)?.[0];
    expect(root?.metadata).toMatchObject({
      principal: 'alice',
      role: 'user',
      $correlationId: cancellationId,
    });
    for (const name of c26Canceled.filter((other) => other !== 'P')) {
      const [end] = ends.get(tree.id(name)) ?? [];
      const [above] = ends.get(tree.id(parentOf(name))) ?? [];
      expect([name, end?.metadata]).toEqual([
        name,
        expect.objectContaining({
          tenant: 'acme',
          owner: 'alice',
          principal: 'system',
          role: 'system',
          via: 'system',
          $causationId: above?.id,
          $correlationId: cancellationId,
        }),
      ]);
      expect((end?.at ?? '') >= (root?.at ?? 'z')).toBe(true);
    }
  });
});
