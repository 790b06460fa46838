import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  branch,
  endOf,
  endsOf,
  eventually,
  grow,
  LedgerApi,
  lineOf,
  settled,
  type StoredEvent,
  textsOf,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

const states = ['submitted', 'working', 'input-required', 'auth-required', 'completed', 'failed'] as const;

/** Long enough to kill the service before it, on a busy machine too. */
const dueInMs = 3_000;

describe('C49 a restart changes no state, and what is due comes once, never early', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C49 every task stands where it stood, and whoever works on it goes on', async () => {
    const ids: string[] = [];
    for (const state of states) {
      const { id } = await rpc.newTask(`will be ${state}`);
      if (state !== 'submitted') await agent.emit(id, state, 'so far');
      ids.push(id);
    }
    const before = await Promise.all(ids.map(async (id) => (await rpc.getTask(id)).result));
    await service.restart();
    expect(await Promise.all(ids.map(async (id) => (await rpc.getTask(id)).result))).toEqual(before);
    expect((await rpc.listTasks({ pageSize: 1 })).result.totalSize).toBe(states.length);

    const [, working, parked] = ids;
    expect((await agent.emit(working ?? '', 'completed', 'done after all')).status).toBe(200);
    expect((await user.message(parked ?? '', userMessage('the answer'))).status).toBe(200);
    expect((await agent.emit(parked ?? '', 'working')).body.state).toBe('TASK_STATE_WORKING');
  });

  it('C49 a blocking client that lost its service finds its task', async () => {
    const contextId = 'waiting';
    const waiting = rpc.send('work', { contextId, metadata: { note: 'blocking' } }).then(
      () => 'answered' as const,
      () => 'connection lost' as const,
    );
    const feed = await agent.feed('from=start&types=TaskSubmitted');
    await feed.takeUntil(({ data }) => data.includes('"waiting"'));
    feed.destroy();
    await service.restart();
    expect(await waiting).toBe('connection lost');
    const [task] = (await rpc.listTasks({ contextId })).result.tasks;
    expect(task?.status.state).toBe('TASK_STATE_SUBMITTED');
    await agent.emit(task?.id ?? '', 'completed', 'done');
    expect((await rpc.getTask(task?.id ?? '')).result.status.state).toBe('TASK_STATE_COMPLETED');
  });

  const stopped = (taskId: string): Promise<StoredEvent> =>
    eventually('the end', async () =>
      (await user.row(taskId)).body.status === 'killed' ? endOf(user, taskId) : undefined,
    );
  /** Down over this instant. */
  const downUntil = async (instant: string): Promise<void> => {
    await service.kill();
    expect(new Date().toISOString() < instant).toBe(true);
    await delay(Date.parse(instant) - Date.now() + 1);
    await service.start();
  };

  let overdue: StoredEvent | undefined;

  it('C49 a deadline that passes while the service is down stops the task after the start, once, with the reason', async () => {
    const asking = (await user.create()).body.taskId;
    await agent.emit(asking, 'input-required', 'which one?');
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const later = (await user.create({ deadline: tomorrow })).body.taskId;
    const deadline = new Date(Date.now() + dueInMs).toISOString();
    const { taskId } = (await user.create({ deadline })).body;
    await agent.emit(taskId, 'working');
    await downUntil(deadline);

    const end = await stopped(taskId);
    expect(end).toMatchObject({ type: 'TaskStopped', data: { stoppedBy: 'deadline' } });
    expect(end.at >= deadline).toBe(true);
    expect(JSON.stringify(end.data)).toContain(deadline);
    const task = (await rpc.getTask(taskId)).result;
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(textsOf(task.status.message?.parts).join()).toContain('deadline');
    overdue = end;
    expect((await agent.emit(taskId, 'completed')).problem.code).toBe('task-is-terminal');

    for (const [id, state] of [
      [asking, 'TASK_STATE_INPUT_REQUIRED'],
      [later, 'TASK_STATE_SUBMITTED'],
    ] as const)
      expect((await user.row(id)).body.state).toBe(state);
    expect((await user.message(asking, userMessage('this one'))).status).toBe(200);
    expect((await agent.emit(asking, 'completed')).status).toBe(200);
  });

  it('C49 a task that ends before its deadline is left alone by it', async () => {
    const deadline = new Date(Date.now() + dueInMs / 2).toISOString();
    const [early, late] = await Promise.all([user.create({ deadline }), user.create({ deadline })]);
    await agent.emit(early.body.taskId, 'completed', 'in time');
    const end = await stopped(late.body.taskId);
    expect(end.at >= deadline).toBe(true);
    expect((await endOf(user, early.body.taskId)).type).toBe('TaskCompleted');
  });

  it('C49 a request that becomes due while the service is down is forced after the start; one that is not is kept', async () => {
    const patient = await grow(user, agent, branch('Q', [branch('L')]));
    const later = await user.cancel(patient.root, { mode: 'cooperative', graceMs: 86_400_000 });
    expect(later.body.state).toBe('TASK_STATE_WORKING');
    const kept = (await user.row(patient.root)).body.cancellation;
    const tree = await grow(user, agent, branch('P', [branch('K')]));
    const asked = await user.cancel(tree.root, { mode: 'cooperative', graceMs: dueInMs });
    const { cancellationId } = asked.body;
    expect(asked.body.state).toBe('TASK_STATE_WORKING');
    const { dueAt = '' } = (await user.row(tree.root)).body.cancellation ?? {};
    await downUntil(dueAt);

    const certificate = await settled(user, cancellationId);
    const end = await endOf(user, tree.root);
    expect(end).toMatchObject({
      type: 'TaskCanceled',
      data: { cancellationId, forced: true, stoppedBy: 'user' },
    });
    expect(end.at >= dueAt).toBe(true);
    expect(lineOf(certificate, tree.root).outcome).toBe('forced');
    expect(lineOf(certificate, tree.id('K'))).toMatchObject({ outcome: 'canceled', reachedAt: end.at });

    // Not forced by the restart, and nothing below has been touched.
    expect((await user.row(patient.root)).body).toMatchObject({
      state: 'TASK_STATE_WORKING',
      cancellation: kept,
    });
    expect((await user.row(patient.id('L'))).body.state).toBe('TASK_STATE_WORKING');
    await agent.emit(patient.root, 'completed', 'in its own time');
    const { counts } = await settled(user, later.body.cancellationId);
    expect(counts).toMatchObject({ lostRace: 1, canceled: 1 });

    // Started once more, nothing that was due before has come a second time.
    const stoppedBefore = (await user.rows('stoppedBy=deadline')).body.rows.map(({ taskId }) => taskId);
    const ends = await endsOf(user, stoppedBefore);
    expect(ends.size).toBe(2);
    for (const found of ends.values()) expect(found).toHaveLength(1);
    expect([...ends.values()].flat()).toContainEqual(overdue);
  });
});
