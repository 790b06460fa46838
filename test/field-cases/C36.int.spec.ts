import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStore, openEmbeddedStore } from '#event-store';
import { MemoryEventStore } from '#testing';
import { agentMessage, alice, artifact, userMessage, workerAgent } from '../support/index.js';
import { FailingStore } from '../support/failing-store.js';
import { asCaller, type LedgerInProcess, openInProcess } from '../support/in-process.js';
import { storedEvent, streamOf } from '../support/stored-log.js';

const user = asCaller(alice);
const agent = asCaller(workerAgent);
const folder = mkdtempSync(join(tmpdir(), 'ledger-c36-'));
const backends: [string, () => Promise<EventStore>][] = [
  ['memory', () => Promise.resolve(new MemoryEventStore())],
  ['embedded', () => openEmbeddedStore({ folder: join(folder, randomUUID()) })],
];

describe.each(backends)('C36 an acknowledgement that was lost, on the %s store', (_, open) => {
  let store: FailingStore;
  let running: LedgerInProcess;

  beforeEach(async () => {
    store = new FailingStore(await open());
    running = await openInProcess(store);
  });
  afterEach(async () => {
    await running.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const types = async (taskId: string): Promise<string[]> =>
    (await store.readStream(streamOf(taskId), { limit: 100 })).map(({ type }) => type);

  it.each([
    ['without a key', {}],
    ['under a key', { idempotencyKey: 'k-1' }],
  ])('C36 the first append of a task %s stands once, and the caller sees success', async (__, options) => {
    store.loseReplies(1);
    const { task } = await running.ledger.commands.create(user, { contextId: 'c' }, options);
    expect(task.revision).toBe(0);
    expect(await types(task.taskId)).toEqual(['TaskSubmitted']);
    if ('idempotencyKey' in options) {
      const again = await running.ledger.commands.create(user, { contextId: 'c' }, options);
      expect(again).toMatchObject({ repeated: true, task: { taskId: task.taskId } });
    }
  });

  it('C36 an append of two events stands once', async () => {
    const { task } = await running.ledger.commands.create(user, {});
    store.loseReplies(1);
    const done = await running.ledger.commands.transition(agent, task.taskId, {
      to: 'completed',
      result: 'r',
    });
    expect(done.task).toMatchObject({ revision: 2, state: 'completed' });
    expect(await types(task.taskId)).toEqual(['TaskSubmitted', 'ArtifactRecorded', 'TaskCompleted']);
  });

  it('C36 status, message and artifact stand once each, whatever is lost', async () => {
    const { taskId } = (await running.ledger.commands.create(user, {})).task;
    const { commands } = running.ledger;
    store.loseReplies(1);
    await commands.transition(agent, taskId, { to: 'working', message: agentMessage('on it') });
    store.loseReplies(1);
    await commands.recordMessage(user, taskId, { message: userMessage('and this') });
    store.loseReplies(1);
    await commands.recordArtifact(agent, taskId, { artifact: artifact('a', ['x']) });
    expect(await types(taskId)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'MessageRecorded',
      'ArtifactRecorded',
    ]);
    const { document } = await running.ledger.reader.read(user, taskId);
    expect(document.artifacts[0]?.parts).toEqual([{ text: 'x' }]);
  });

  it('C36 a cancellation stands once, with one certificate', async () => {
    const { taskId } = (await running.ledger.commands.create(user, {})).task;
    store.loseReplies(2);
    const canceled = await running.ledger.commands.cancel(user, taskId, { reason: 'r' });
    expect(await types(taskId)).toEqual(['TaskSubmitted', 'TaskCanceled']);
    const stream = `ledger.cancellation-${canceled.cancellationId}`;
    const certificate = await store.readStream(stream, { limit: 10 });
    expect(certificate.map(({ type }) => type)).toEqual(['CancellationOpened']);
  });

  it('C36 a version that somebody else moved is decided again on the fresh state', async () => {
    const { taskId } = (await running.ledger.commands.create(user, {})).task;
    let foreign = 0;
    store.beforeAppend = async (stream) => {
      if (stream !== streamOf(taskId) || foreign === 3) return;
      foreign += 1;
      const event = storedEvent(taskId, {
        type: 'TaskProgressed',
        data: { at: new Date().toISOString(), content: { enc: 'none', body: {} } },
      });
      await store.behind.append(stream, [event], foreign - 1);
    };
    const written = await running.ledger.commands.transition(agent, taskId, { to: 'working' });
    expect(written.task).toMatchObject({ revision: 4, state: 'working' });
    expect(await types(taskId)).toEqual([
      'TaskSubmitted',
      'TaskProgressed',
      'TaskProgressed',
      'TaskProgressed',
      'TaskStarted',
    ]);
  });

  it('C36 somebody else’s end is met with a refusal, not with a fault', async () => {
    const { taskId } = (await running.ledger.commands.create(user, {})).task;
    store.beforeAppend = async (stream) => {
      if (stream !== streamOf(taskId)) return;
      store.beforeAppend = () => Promise.resolve();
      const event = storedEvent(taskId, {
        type: 'TaskFailed',
        data: { at: new Date().toISOString(), content: { enc: 'none', body: {} } },
      });
      await store.behind.append(stream, [event], 0);
    };
    const writing = running.ledger.commands.transition(agent, taskId, { to: 'completed' });
    await expect(writing).rejects.toMatchObject({
      code: 'task-is-terminal',
      detail: { state: 'TASK_STATE_FAILED', revision: 1 },
    });
    expect(await types(taskId)).toEqual(['TaskSubmitted', 'TaskFailed']);
  });
});
