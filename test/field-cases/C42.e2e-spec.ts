import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  agentMessage,
  al2,
  alice,
  inParallel,
  LedgerApi,
  rebuildAll,
  userMessage,
  useService,
  type WireTask,
  workerAgent,
} from '../support/index.js';
import { wholeLog, withLog } from '../support/stored-log.js';

const finishedTasks = 100;

describe('C42 replay tells what was, and does nothing', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);
  /** What GetTask answered after each revision. */
  const answered: { revision: number; text: string; task: WireTask }[] = [];
  let id = '';

  beforeAll(async () => {
    id = (await rpc.newTask('first')).id;
    const remember = async (revision: number): Promise<void> => {
      const answer = await rpc.getTask(id);
      answered.push({ revision, text: JSON.stringify(answer.result), task: answer.result });
    };
    const steps = [
      () => agent.emit(id, 'working', 'on it'),
      () => agent.chunk(id, 'a1', ['one']),
      () => agent.emit(id, 'input-required', 'which?'),
      () => user.message(id, userMessage('that')),
      () => agent.emit(id, 'working', 'thanks'),
      () => agent.chunk(id, 'a1', ['two'], { append: true, lastChunk: true }),
      () => agent.transition(id, { to: 'working', message: agentMessage('soon') }),
      () => agent.transition(id, { to: 'completed', message: agentMessage('done'), result: { n: 1 } }),
    ];
    await remember(0);
    for (const step of steps) await remember((await step()).body.revision);
    await inParallel(finishedTasks, 8, async () => {
      const task = await rpc.newTask();
      await agent.emit(task.id, 'completed');
    });
  });

  const expectSameReplays = async (): Promise<void> => {
    for (const { revision, task, text } of answered) {
      const replay = (await agent.replay(id, `revision=${String(revision)}`)).body;
      expect(replay.task).toEqual(task);
      expect(JSON.stringify(replay.task)).toBe(text);
      expect([replay.revision, replay.row.revision]).toEqual([revision, revision]);
    }
  };

  it('C42 the replay of a revision is byte for byte what GetTask answered then', async () => {
    expect(answered.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9]);
    await expectSameReplays();
  });

  it('C42 the replay of an instant is the last revision not later than it', async () => {
    const events = (await agent.events(id)).body.events;
    const third = events[3];
    const last = events.filter(({ at }) => at <= (third?.at ?? '')).at(-1);
    const replay = (await agent.replay(id, `at=${third?.at ?? ''}`)).body;
    expect(replay.revision).toBe(last?.revision);
    const before = await agent.replay(id, 'at=2020-01-01T00:00:00.000Z');
    expect(before.problem).toMatchObject({ status: 400, field: 'at' });
    const beyond = await agent.replay(id, 'revision=99');
    expect(beyond.status).toBe(400);
  });

  it('C42 the difference between revisions turns one document into the other', async () => {
    const { default: jsonPatch } = await import('fast-json-patch');
    for (const [from, to] of [
      [0, 9],
      [9, 0],
      [3, 4],
      [5, 5],
    ] as const) {
      const patch = (await agent.diff(id, from, to)).body as unknown as Parameters<
        typeof jsonPatch.applyPatch
      >[1];
      const source = structuredClone((await agent.replay(id, `revision=${String(from)}`)).body.task);
      const target = (await agent.replay(id, `revision=${String(to)}`)).body.task;
      expect(jsonPatch.applyPatch(source, patch).newDocument).toEqual(target);
      if (from === to) expect(patch).toEqual([]);
    }
  });

  it('C42 replay, rebuild and restart append nothing and change no replay', async () => {
    await service.kill();
    const before = await withLog(service.directory, wholeLog);
    await service.start();
    await rebuildAll(operator);
    await expectSameReplays();
    await service.restart();
    await expectSameReplays();
    await service.kill();
    expect(await withLog(service.directory, wholeLog)).toEqual(before);
    await service.start();
  });
});
