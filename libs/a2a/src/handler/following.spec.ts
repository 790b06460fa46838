import { MemoryEventStore } from '#testing';
import type { StreamFrame } from '../json-rpc/door.js';
import {
  allWords,
  codeOf,
  framesOf,
  openMemoryLedger,
  resultOf,
  wordsOf,
  type MemoryLedger,
} from '../../spec/memory-ledger.js';
import { getTask, moves, newTask, records, userSays, watched, type ShownTask } from '../../spec/story.js';

/** A thousand rounds on a machine that is busy otherwise. */
const raceMsMax = 60_000;

let memory: MemoryLedger;
beforeAll(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore() });
});
afterAll(() => memory.close());

const subscribe = (id: string, told = {}) => memory.call('SubscribeToTask', { id }, told);
const nextOf = async (frames: AsyncGenerator<StreamFrame, void, undefined>): Promise<string> => {
  const { value, done } = await frames.next();
  return done === true ? 'end' : wordsOf(value);
};

const lived = async (): Promise<string> => {
  const { id } = await newTask(memory);
  await moves(memory, id, 'working', 'w'); // revision 1
  await records(memory, id, 'a1', 'one'); // 2
  await records(memory, id, 'a1', 'two', { append: true, lastChunk: true }); // 3
  await moves(memory, id, 'completed', 'done'); // 4
  return id;
};

describe('SendStreamingMessage', () => {
  it('begins with the task, tells everything once, and closes at the end', async () => {
    const answer = await memory.call('SendStreamingMessage', { message: userSays('go') });
    const frames = framesOf(answer);
    const first = (await frames.next()).value as StreamFrame;
    const { id } = (first.body as unknown as { result: { task: ShownTask } }).result.task;
    expect([wordsOf(first), first.id]).toEqual(['task SUBMITTED', `${id}.0`]);
    await moves(memory, id, 'working', 'w');
    await records(memory, id, 'a1', 'one');
    await moves(memory, id, 'auth-required', 'sign in');
    await moves(memory, id, 'working', 'thanks');
    await moves(memory, id, 'completed', 'done');
    const rest: StreamFrame[] = [];
    for await (const frame of frames) rest.push(frame);
    expect(rest.map(wordsOf)).toEqual([
      'status WORKING',
      'artifact a1',
      'status AUTH_REQUIRED',
      'status WORKING',
      'status COMPLETED',
    ]);
    expect(rest.map((frame) => frame.id)).toEqual(
      [1, 2, 3, 4, 5].map((revision) => `${id}.${String(revision)}`),
    );
  });

  it('closes at input-required after its own message; the question before it never counts', async () => {
    const { id } = await newTask(memory);
    await moves(memory, id, 'input-required', 'first question');
    const answer = await memory.call('SendStreamingMessage', { message: userSays('answer', { taskId: id }) });
    const words = allWords(answer);
    await moves(memory, id, 'working');
    await moves(memory, id, 'input-required', 'second question');
    expect(await words).toEqual(['task INPUT_REQUIRED', 'status WORKING', 'status INPUT_REQUIRED']);
  });

  it('answers a refusal as an ordinary error', async () => {
    const answer = await memory.call('SendStreamingMessage', {
      message: userSays('x', { taskId: 'nobody' }),
    });
    expect([answer.kind, codeOf(answer)]).toEqual(['body', -32001]);
  });

  it('C08 what happens to the task does not depend on the stream', async () => {
    const client = new AbortController();
    const answer = await memory.call(
      'SendStreamingMessage',
      { message: userSays('go') },
      { signal: client.signal },
    );
    const frames = framesOf(answer);
    const first = (await frames.next()).value as StreamFrame;
    const { id } = (first.body as unknown as { result: { task: ShownTask } }).result.task;
    const other = allWords(await subscribe(id));
    await moves(memory, id, 'working');
    client.abort();
    await records(memory, id, 'a1', 'kept');
    await moves(memory, id, 'completed');
    expect(await getTask(memory, id)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a1' }],
    });
    expect(await other).toEqual(['task SUBMITTED', 'status WORKING', 'artifact a1', 'status COMPLETED']);
  });
});

describe('SubscribeToTask', () => {
  it('begins with the task as it is, stays through questions, and closes only at the end', async () => {
    const { id } = await newTask(memory);
    await moves(memory, id, 'input-required', 'q');
    const words = allWords(await subscribe(id));
    await moves(memory, id, 'working');
    await moves(memory, id, 'input-required', 'q2');
    await moves(memory, id, 'completed');
    expect(await words).toEqual([
      'task INPUT_REQUIRED',
      'status WORKING',
      'status INPUT_REQUIRED',
      'status COMPLETED',
    ]);
  });

  it('C18 an ended task is -32004 and an unknown one -32001, before any frame', async () => {
    const id = await lived();
    expect(codeOf(await subscribe(id))).toBe(-32004);
    expect(codeOf(await subscribe('nobody'))).toBe(-32001);
  });

  it('C10 whoever folds the frames has what GetTask shows', async () => {
    const { id } = await newTask(memory);
    const artifacts = new Map<string, object[]>();
    const frames = framesOf(await subscribe(id));
    await records(memory, id, 'a1', 'Hello');
    await records(memory, id, 'b1', 'x');
    await records(memory, id, 'a1', ' world', { append: true });
    await records(memory, id, 'a1', '!', { append: true, lastChunk: true });
    await moves(memory, id, 'completed');
    let chunks = 0;
    for await (const { body } of frames) {
      const update = (
        body as unknown as {
          result: {
            artifactUpdate?: { append?: boolean; artifact: { artifactId: string; parts: object[] } };
          };
        }
      ).result.artifactUpdate;
      if (update === undefined) continue;
      chunks += 1;
      const { artifactId, parts } = update.artifact;
      artifacts.set(
        artifactId,
        update.append === true ? [...(artifacts.get(artifactId) ?? []), ...parts] : parts,
      );
    }
    expect(chunks).toBe(4);
    expect([...artifacts].map(([artifactId, parts]) => ({ artifactId, parts }))).toEqual(
      (await getTask(memory, id)).artifacts,
    );
  });

  it('frees its watch at once when the client goes, with nothing happening', async () => {
    const { id } = await newTask(memory);
    const open = memory.ledger.live.open;
    const client = new AbortController();
    const frames = framesOf(await subscribe(id, { signal: client.signal }));
    await frames.next();
    const pending = frames.next();
    await watched(memory, open + 1);
    client.abort();
    expect(await pending).toMatchObject({ done: true });
    expect(memory.ledger.live.open).toBe(open);
  });
});

describe('Last-Event-ID', () => {
  it.each([
    [0, ['task SUBMITTED', 'status WORKING', 'artifact a1', 'artifact a1', 'status COMPLETED']],
    [2, ['task WORKING', 'artifact a1', 'status COMPLETED']],
    [4, ['task COMPLETED']],
  ])('of revision %i of an ended task: the task as of it, the rest, the end', async (revision, words) => {
    const id = await lived();
    expect(await allWords(await subscribe(id, { lastEventId: `${id}.${String(revision)}` }))).toEqual(words);
  });

  it('shows the task exactly as it was', async () => {
    const id = await lived();
    const frames = framesOf(await subscribe(id, { lastEventId: `${id}.2` }));
    const { body, id: frameId } = (await frames.next()).value as StreamFrame;
    expect(frameId).toBe(`${id}.2`);
    expect(body).toMatchObject({
      result: {
        task: { status: { state: 'TASK_STATE_WORKING' }, artifacts: [{ parts: [{ text: 'one' }] }] },
      },
    });
    await frames.return();
  });

  it('goes on live where the task has not ended', async () => {
    const { id } = await newTask(memory);
    await moves(memory, id, 'working', 'w');
    const frames = framesOf(await subscribe(id, { lastEventId: `${id}.0` }));
    expect([await nextOf(frames), await nextOf(frames)]).toEqual(['task SUBMITTED', 'status WORKING']);
    await moves(memory, id, 'completed');
    expect([await nextOf(frames), await nextOf(frames)]).toEqual(['status COMPLETED', 'end']);
  });

  it.each(['nonsense', 'another-task.1', '.1', '%ID%.99', '%ID%.-1', '%ID%.x', '%ID%'])(
    '%s counts for nothing',
    async (template) => {
      const ended = await lived();
      expect(codeOf(await subscribe(ended, { lastEventId: template.replace('%ID%', ended) }))).toBe(-32004);
      const { id } = await newTask(memory);
      const frames = framesOf(await subscribe(id, { lastEventId: template.replace('%ID%', id) }));
      expect(await nextOf(frames)).toBe('task SUBMITTED');
      await moves(memory, id, 'completed');
      expect([await nextOf(frames), await nextOf(frames)]).toEqual(['status COMPLETED', 'end']);
    },
  );
});

it(
  'C18 1000 races of a subscriber with the end: the end and a close, or -32004',
  async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 1_000; round += 1) {
      const { id } = await newTask(memory);
      const ends = moves(memory, id, 'completed');
      for (let turn = 0; turn < round % 12; turn += 1) await Promise.resolve();
      const answer = await subscribe(id);
      const words = answer.kind === 'stream' ? await allWords(answer) : [String(codeOf(answer))];
      await ends;
      outcomes.add(words.join(', '));
    }
    for (const outcome of outcomes) expect(['-32004', 'task SUBMITTED, status COMPLETED']).toContain(outcome);
    expect(memory.ledger.live.open).toBe(0);
    expect(memory.unexpected).toEqual([]);
  },
  raceMsMax,
);

it('many subscribers of a task are told the same, in the same order', async () => {
  const { id } = await newTask(memory);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => subscribe(id)));
  const told = Promise.all(answers.map(allWords));
  await moves(memory, id, 'working', 'w');
  await records(memory, id, 'a1', 'one');
  await moves(memory, id, 'failed', 'f');
  for (const words of await told) {
    expect(words).toEqual(['task SUBMITTED', 'status WORKING', 'artifact a1', 'status FAILED']);
  }
});

it('a list after a stream shows what the stream showed', async () => {
  const contextId = 'streamed';
  const frames = framesOf(
    await memory.call('SendStreamingMessage', { message: userSays('go', { contextId }) }),
  );
  await frames.next();
  const [task] = resultOf(await memory.call('ListTasks', { contextId })).tasks as [ShownTask];
  await moves(memory, task.id, 'completed', 'done');
  expect([await nextOf(frames), await nextOf(frames)]).toEqual(['status COMPLETED', 'end']);
});
