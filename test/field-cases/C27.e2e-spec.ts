import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { LedgerRow } from '#domain';
import {
  alice,
  type Answer,
  type Certificate,
  endOf,
  eventually,
  inParallel,
  LedgerApi,
  lineOf,
  settled,
  useService,
  workerAgent,
} from '../support/index.js';

const races = 200;
const racesInHand = 6;
/** Children that are born, and as many that are adopted, while the parent is cancelled. */
const half = 5;
const jitterMs = 6;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C27 a child that is attached after the parent was cancelled', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const newTask = async (): Promise<string> => (await user.create()).body.taskId;

  /** Every child stands in the certificate; it was reopened for those that came late. */
  const complete = async (cancellationId: string, nodes: number): Promise<Certificate> => {
    await eventually(`a certificate of ${String(nodes)} nodes`, async () =>
      (await user.certificate(cancellationId)).body.nodes.length >= nodes ? true : undefined,
    );
    return settled(user, cancellationId);
  };

  it.each(['cascade', 'cooperative'])(
    'C27 (a) over a %s link a new child is born canceled',
    async (policy) => {
      const parent = await newTask();
      const { cancellationId } = (await user.cancel(parent, { reason: 'enough' })).body;
      await settled(user, cancellationId);
      const child = await agent.create({ parent: { taskId: parent, policy } });
      expect([child.status, child.body.state]).toEqual([201, 'TASK_STATE_CANCELED']);
      expect(child.body).toMatchObject({ stoppedBy: 'parent', cancellationId, parentTaskId: parent, policy });
      expect(await user.eventTypes(child.body.taskId)).toEqual(['TaskSubmitted', 'TaskCanceled']);
      const end = await endOf(user, child.body.taskId);
      expect(end.data).toMatchObject({ cancellationId, stoppedBy: 'parent' });
      expect(JSON.stringify(end.data)).toContain('enough');
      const certificate = await complete(cancellationId, 2);
      expect(lineOf(certificate, child.body.taskId)).toMatchObject({
        outcome: 'canceled',
        late: true,
        parentTaskId: parent,
        policy,
        depth: 1,
        worker: 'none',
      });
      const refused = await agent.emit(child.body.taskId, 'working');
      expect(refused.problem.code).toBe('task-is-terminal');
    },
  );

  it('C27 (a) a task that is adopted ends canceled in the same append, and what is below it follows', async () => {
    const [parent, child] = [await newTask(), await newTask()];
    const below = (await agent.create({ parent: { taskId: child } })).body.taskId;
    await agent.emit(child, 'working');
    const { cancellationId } = (await user.cancel(parent)).body;
    const link = await agent.link(parent, { taskId: child });
    expect([link.status, link.body]).toEqual([
      201,
      { parentTaskId: parent, taskId: child, policy: 'cascade', onEnd: 'abandon' },
    ]);
    expect((await user.eventTypes(child)).slice(-2)).toEqual(['ParentAssigned', 'TaskCanceled']);
    const certificate = await complete(cancellationId, 3);
    expect(lineOf(certificate, child)).toMatchObject({ outcome: 'canceled', late: true, depth: 1 });
    expect(lineOf(certificate, below)).toMatchObject({ outcome: 'canceled', depth: 2, parentTaskId: child });
    expect((await endOf(user, below)).data.cancellationId).toBe(cancellationId);
    expect((await user.tree(parent)).body.children).toMatchObject([{ taskId: child, late: true }]);
  });

  it('C27 (a) a cancelled parent takes no child with abandon, and none where its cancel did not cascade', async () => {
    const [cascaded, alone, child] = [await newTask(), await newTask(), await newTask()];
    await user.cancel(cascaded);
    await user.cancel(alone, { cascade: false });
    for (const [taskId, policy] of [
      [cascaded, 'abandon'],
      [alone, 'cascade'],
      [alone, 'abandon'],
    ] as const) {
      expect((await agent.create({ parent: { taskId, policy } })).problem).toMatchObject({
        status: 409,
        code: 'task-is-terminal',
      });
      expect((await agent.link(taskId, { taskId: child, policy })).problem.code).toBe('task-is-terminal');
    }
    expect((await user.row(child)).body).toMatchObject({ state: 'TASK_STATE_SUBMITTED' });
    expect((await user.row(child)).body).not.toHaveProperty('parentTaskId');
  });

  it.each(['failed', 'rejected', 'completed'])(
    'C27 (c) a parent that ended %s takes no child: 409, and nothing is written',
    async (state) => {
      const [parent, child] = [await newTask(), await newTask()];
      await agent.emit(parent, state, 'the end');
      const refusals = [
        await agent.create({ parent: { taskId: parent } }),
        await agent.link(parent, { taskId: child }),
        await agent.link(parent, { taskId: child, onEnd: 'cascade' }),
      ];
      for (const { problem } of refusals)
        expect(problem).toMatchObject({ status: 409, code: 'task-is-terminal', revision: 1 });
      expect(await user.eventTypes(child)).toEqual(['TaskSubmitted']);
      expect((await user.tree(parent)).body.children).toEqual([]);
    },
  );

  /** Sends each at a moment of its own. */
  const scattered = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    await delay(randomInt(jitterMs));
    return work();
  };

  interface Race {
    readonly children: readonly string[];
    /** Children whose link had lost: announced beside the parent's stream. */
    readonly late: readonly string[];
    readonly certificate: Certificate;
  }

  const race = async (): Promise<Race> => {
    const parent = await newTask();
    const orphans = await Promise.all(Array.from({ length: half }, newTask));
    const born = Array.from({ length: half }, () =>
      scattered((): Promise<Answer<LedgerRow>> => agent.create({ parent: { taskId: parent } })),
    );
    const adopted = orphans.map((taskId) => scattered(() => agent.link(parent, { taskId })));
    const canceled = await scattered(() => user.cancel(parent));
    const made = await Promise.all(born);
    for (const { status } of [...made, ...(await Promise.all(adopted))]) expect(status).toBe(201);
    const children = [...made.map(({ body }) => body.taskId), ...orphans];
    const { cancellationId } = canceled.body;
    const certificate = await complete(cancellationId, 1 + children.length);
    const announced = (await user.events(parent)).body.events
      .filter(({ type }) => type === 'ChildLinked')
      .map(({ data }) => (data.child as { taskId: string }).taskId);
    return { children, late: children.filter((taskId) => !announced.includes(taskId)), certificate };
  };

  const expectEnded = async ({ children, late, certificate }: Race): Promise<void> => {
    const { cancellationId, rootTaskId } = certificate;
    const { rows } = (await user.rows(`parentTaskId=${rootTaskId}&pageSize=100`)).body;
    expect(rows.map(({ taskId }) => taskId).sort()).toEqual([...children].sort());
    for (const { taskId, state, stoppedBy, ...row } of rows) {
      expect([state, stoppedBy, row.cancellationId]).toEqual([
        'TASK_STATE_CANCELED',
        'parent',
        cancellationId,
      ]);
      expect(lineOf(certificate, taskId)).toMatchObject({ outcome: 'canceled', parentTaskId: rootTaskId });
    }
    // Whichever way it came to its end, it has one; of one child of each kind it is looked up.
    for (const taskId of [children[0], children.at(-1)])
      expect((await endOf(user, taskId ?? '')).data.cancellationId).toBe(cancellationId);
    expect(certificate.nodes).toHaveLength(1 + children.length);
    const marked = certificate.nodes.filter((node) => node.late === true).map(({ taskId }) => taskId);
    expect(marked.sort()).toEqual([...late].sort());
    expect(certificate.survivors).toEqual([]);
    expect(certificate.status).toBe('confirmed');
  };

  it(
    'C27 (b) 200 times a cancel against ten links: no child lives on, and the certificate has each',
    async () => {
      const seen = await inParallel(races, racesInHand, async () => {
        const one = await race();
        await expectEnded(one);
        return one.late.length;
      });
      // No race at all if every link had come before, or every one after.
      expect(seen.some((late) => late > 0)).toBe(true);
      expect(seen.some((late) => late < 2 * half)).toBe(true);
    },
    heavyLimitMs,
  );
});
