import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  branch,
  grow,
  LedgerApi,
  settled,
  stateIn,
  streamResponse,
  type Tree,
  useService,
  workerAgent,
} from '../support/index.js';

describe('C32 the end of a child leaves its parent as it is', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  let tree: Tree;

  beforeAll(async () => {
    tree = await grow(user, agent, branch('P', [branch('K1', [branch('G1')]), branch('K2'), branch('K3')]));
  });

  it('C32 one child is cancelled, one completes, one fails: the parent works on, and tells them apart', async () => {
    const parent = tree.root;
    const before = (await user.events(parent)).body.events;
    const blocking = rpc.send('are you done?', { taskId: tree.id('K1') });
    const watcher = await rpc.subscribe(tree.id('K1'));
    await watcher.take(1);
    const feed = await user.feed('from=start&types=MessageRecorded');
    await feed.takeUntil(({ data }) => data.includes('are you done?'));
    feed.destroy();

    const canceled = (await rpc.cancelTask(tree.id('K1'), { metadata: { reason: 'not needed' } })).result;
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect((await agent.emit(tree.id('K2'), 'completed', 'the result')).status).toBe(200);
    expect((await agent.emit(tree.id('K3'), 'failed', 'broke')).status).toBe(200);

    // Whoever waited is released with the cancel, and not with something that looks like a result.
    const { task } = (await blocking).result;
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    expect(task.artifacts ?? []).toEqual([]);
    const frames = await watcher.rest();
    expect(frames.map(stateIn)).toEqual(['TASK_STATE_CANCELED']);
    expect(frames.map((frame) => streamResponse(frame).artifactUpdate)).toEqual([undefined]);

    const { cancellationId } = (await user.row(tree.id('K1'))).body;
    const certificate = await settled(user, cancellationId ?? '');
    expect(certificate).toMatchObject({ rootTaskId: tree.id('K1'), reason: 'not needed' });
    expect(certificate.nodes.map(({ taskId }) => tree.nameOf(taskId))).toEqual(['K1', 'G1']);

    expect((await user.row(parent)).body.state).toBe('TASK_STATE_WORKING');
    expect((await user.events(parent)).body.events).toEqual(before);
    const children = (await user.tree(parent)).body.children.map(({ taskId, state }) => [
      tree.nameOf(taskId),
      state,
    ]);
    expect(children.sort()).toEqual([
      ['K1', 'TASK_STATE_CANCELED'],
      ['K2', 'TASK_STATE_COMPLETED'],
      ['K3', 'TASK_STATE_FAILED'],
    ]);
    const { rows } = (await user.rows(`parentTaskId=${parent}`)).body;
    const told = rows.map(({ taskId, status, stoppedBy }) => [tree.nameOf(taskId), status, stoppedBy]);
    expect(told.sort()).toEqual([
      ['K1', 'killed', 'user'],
      ['K2', 'completed', undefined],
      ['K3', 'failed', undefined],
    ]);
    const listed = (await user.rows(`rootTaskId=${parent}&pageSize=100`)).body.rows;
    expect(listed.find(({ taskId }) => taskId === parent)).toMatchObject({
      openChildren: 0,
      status: 'running',
    });
  });

  it('C32 the parent goes on and completes as if nothing had been', async () => {
    expect((await user.cancellationsOf(tree.root)).body).toEqual([]);
    expect((await agent.emit(tree.root, 'completed', 'without K1')).body.state).toBe('TASK_STATE_COMPLETED');
  });
});
