import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SubscribeToTaskRequest,
  TaskState,
} from '@a2a-js/sdk';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { expect, it } from '@jest/globals';
import {
  agentMessage,
  alice,
  callerHeaders,
  type EventFrames,
  LedgerApi,
  openFrames,
  type RunningService,
  workerAgent,
} from '../../support/index.js';
import { officialClient, sendRequest, textsOfSdkMessage } from '../../support/official-client.js';

/** The walk of a first task, on any service that runs. */
export const firstTask = (service: RunningService): void => {
  const agent = new LedgerApi(service, workerAgent);

  /** The task a send makes, as the agent hears of it on its feed. */
  const nextTask = async (feed: EventFrames): Promise<string> => {
    const [frame] = await feed.take(1);
    const { taskId, type } = JSON.parse(frame?.data ?? '{}') as { taskId: string; type: string };
    expect(type).toBe('TaskSubmitted');
    return taskId;
  };
  const hire = (): Promise<EventFrames> => agent.feed('types=TaskSubmitted&from=end');
  const asTask = (result: unknown): Task => {
    if (typeof result !== 'object' || result === null || !('status' in result))
      throw new Error('expected a task');
    return result as Task;
  };
  const artifactTexts = (task: Task): string[] =>
    task.artifacts.flatMap(({ parts }) =>
      parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])),
    );

  it('submit, work, stream an artifact, ask, answer, complete', async () => {
    const client = await officialClient(service, alice);
    const feed = await hire();
    const blocking = client.sendMessage(sendRequest('write a poem'));
    const taskId = await nextTask(feed);
    await agent.emit(taskId, 'working', 'thinking');
    await agent.chunk(taskId, 'poem', ['Roses ']);
    await agent.chunk(taskId, 'poem', ['are '], { append: true });
    await agent.emit(taskId, 'input-required', 'Which colour?');

    const asked = asTask(await blocking);
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(textsOfSdkMessage(asked.status?.message)).toEqual(['Which colour?']);
    expect(artifactTexts(asked)).toEqual(['Roses ', 'are ']);

    const answering = client.sendMessage(sendRequest('red', { taskId, contextId: asked.contextId }));
    const events = await agent.followEvents(taskId, 'from=0');
    await events.takeUntil(({ data }) => data.includes('MessageRecorded'));
    events.destroy();
    await agent.emit(taskId, 'working', 'thanks');
    await agent.chunk(taskId, 'poem', ['red.'], { append: true, lastChunk: true });
    await agent.emit(taskId, 'completed', 'There it is.');

    const done = asTask(await answering);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(done)).toEqual(['Roses ', 'are ', 'red.']);
    expect(done.history.map((message) => textsOfSdkMessage(message)[0])).toEqual([
      'write a poem',
      'thinking',
      'Which colour?',
      'red',
      'thanks',
    ]);
    const got = await client.getTask(GetTaskRequest.fromJSON({ id: taskId }));
    expect(got).toEqual(done);
    feed.destroy();
  });

  it('returnImmediately answers with the task as it was made', async () => {
    const client = await officialClient(service, alice);
    const request = sendRequest('later', { configuration: { returnImmediately: true } });
    const task = asTask(await client.sendMessage(request));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(task.contextId).not.toBe('');
  });

  it('a stream begins with the task, brings every update, and closes at the end', async () => {
    const client = await officialClient(service, alice);
    const feed = await hire();
    const working = (async () => {
      const taskId = await nextTask(feed);
      await agent.emit(taskId, 'working');
      await agent.chunk(taskId, 'a', ['one']);
      await agent.chunk(taskId, 'a', ['two'], { append: true, lastChunk: true });
      await agent.emit(taskId, 'completed', 'done');
    })();
    const seen: StreamResponse[] = [];
    for await (const response of client.sendMessageStream(sendRequest('stream it'))) seen.push(response);
    await working;
    expect(seen.map(({ payload }) => payload?.$case)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    feed.destroy();
  });

  it('a stream closes when the agent asks; a subscription stays to the end', async () => {
    const client = await officialClient(service, alice);
    const feed = await hire();
    const stream = client.sendMessageStream(sendRequest('ask me'));
    const first = await stream.next();
    expect(first.value?.payload?.$case).toBe('task');
    const taskId = await nextTask(feed);
    const subscription = client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: taskId }));
    expect((await subscription.next()).value?.payload?.$case).toBe('task');

    await agent.emit(taskId, 'input-required', 'well?');
    const rest: StreamResponse[] = [];
    for await (const response of stream) rest.push(response);
    expect(rest.map(({ payload }) => payload?.$case)).toEqual(['statusUpdate']);

    await agent.emit(taskId, 'working');
    await agent.emit(taskId, 'completed');
    const states: (TaskState | undefined)[] = [];
    for await (const { payload } of subscription)
      if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    expect(states).toEqual([
      TaskState.TASK_STATE_INPUT_REQUIRED,
      TaskState.TASK_STATE_WORKING,
      TaskState.TASK_STATE_COMPLETED,
    ]);
    feed.destroy();
  });

  it('a task is listed, cancelled, and its late completion is kept apart', async () => {
    const client = await officialClient(service, alice);
    const contextId = crypto.randomUUID();
    const send = sendRequest('cancel me', { contextId, configuration: { returnImmediately: true } });
    const { id } = asTask(await client.sendMessage(send));
    await agent.emit(id, 'working');
    const canceled = await client.cancelTask(
      CancelTaskRequest.fromJSON({ id, metadata: { reason: 'enough' } }),
    );
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);

    const late = await agent.transition(id, { to: 'completed', message: agentMessage('too late') });
    expect(late.problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
    expect(await agent.late(id)).toHaveLength(1);

    const listed = await client.listTasks(ListTasksRequest.fromJSON({ contextId }));
    expect(listed.tasks.map((task) => [task.id, task.status?.state])).toEqual([
      [id, TaskState.TASK_STATE_CANCELED],
    ]);
    const why = (await agent.why(id)).body;
    expect(why.at(0)).toMatchObject({ type: 'TaskCanceled', principal: 'alice', reason: 'enough' });
  });

  it('an unknown task is the error of that name', async () => {
    const client = await officialClient(service, alice);
    const asking = client.getTask(GetTaskRequest.fromJSON({ id: 'nope' }));
    await expect(asking).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });

  it('the feed is for what happens in the caller’s own tenant', async () => {
    const feed = await openFrames(`${service.url}/ledger/v1/feed?from=start`, {
      headers: callerHeaders({ tenant: 'elsewhere', principal: 'a', role: 'agent' }),
    });
    const own = new LedgerApi(service, { tenant: 'elsewhere', principal: 'a', role: 'agent' });
    const { taskId } = (await own.create()).body;
    const [frame] = await feed.take(1);
    expect(JSON.parse(frame?.data ?? '{}')).toMatchObject({ taskId, type: 'TaskSubmitted' });
    feed.destroy();
  });
};
