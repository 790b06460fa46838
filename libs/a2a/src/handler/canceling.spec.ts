import { MemoryEventStore } from '#testing';
import {
  agent,
  alice,
  callerOf,
  codeOf,
  openMemoryLedger,
  resultOf,
  type MemoryLedger,
} from '../../spec/memory-ledger.js';
import { getTask, moves, newTask, type ShownTask } from '../../spec/story.js';
import { extensionUri } from '../extension.js';

/** Five hundred rounds on a machine that is busy otherwise. */
const raceMsMax = 60_000;

let memory: MemoryLedger;
beforeAll(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore() });
});
afterAll(() => memory.close());

const cancel = (id: string, metadata?: object) =>
  memory.call('CancelTask', metadata === undefined ? { id } : { id, metadata });
const canceled = async (id: string, metadata?: object): Promise<ShownTask> =>
  resultOf(await cancel(id, metadata)) as unknown as ShownTask;
const eventsOf = async (id: string) =>
  (await memory.ledger.reader.events(alice, id, { limit: 100, direction: 'forwards' })).events;
const cancelEvents = async (id: string): Promise<number> =>
  (await eventsOf(id)).filter(({ type }) => type === 'TaskCanceled').length;

/** The race is run at another point of the completion each time. */
const afterTurns = async <Answer>(turns: number, work: () => Promise<Answer>): Promise<Answer> => {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  return work();
};

describe('C29 a cancel', () => {
  it.each([undefined, 'working', 'input-required', 'auth-required'] as const)(
    'of a task that is %s ends it, once',
    async (to) => {
      const { id } = await newTask(memory);
      if (to !== undefined) await moves(memory, id, to);
      const first = await canceled(id);
      expect(first.status.state).toBe('TASK_STATE_CANCELED');
      expect(await canceled(id)).toEqual(first);
      expect(await getTask(memory, id)).toEqual(first);
      expect(await cancelEvents(id)).toBe(1);
    },
  );

  it.each(['completed', 'failed', 'rejected'] as const)('of a task that is %s is -32002', async (to) => {
    const { id } = await newTask(memory);
    await moves(memory, id, to);
    expect(codeOf(await cancel(id))).toBe(-32002);
  });

  it('of a task that never was, or is not the caller’s, is -32001', async () => {
    expect(codeOf(await cancel('nobody'))).toBe(-32001);
    const { id } = await newTask(memory);
    const bob = callerOf('bob');
    expect(codeOf(await memory.call('CancelTask', { id }, { caller: bob }))).toBe(-32001);
    expect((await getTask(memory, id)).status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it(
    'that races the completion is canceled or -32002, and always what GetTask says after',
    async () => {
      for (let round = 0; round < 500; round += 1) {
        const { id } = await newTask(memory);
        const completes = memory.ledger.commands.transition(agent, id, { to: 'completed' });
        const cancels = afterTurns(round % 8, () => cancel(id));
        const [completed, answer] = await Promise.allSettled([completes, cancels]);
        if (answer.status === 'rejected') throw answer.reason;
        const { state } = (await getTask(memory, id)).status;
        if (codeOf(answer.value) === 0) expect(state).toBe('TASK_STATE_CANCELED');
        else expect([codeOf(answer.value), state]).toEqual([-32002, 'TASK_STATE_COMPLETED']);
        expect(completed.status === 'fulfilled').toBe(state === 'TASK_STATE_COMPLETED');
      }
    },
    raceMsMax,
  );

  it('asked fifty times at once is one event and fifty equal answers', async () => {
    const { id } = await newTask(memory);
    const answers = await Promise.all(Array.from({ length: 50 }, () => canceled(id)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await cancelEvents(id)).toBe(1);
  });
});

describe('the options of a cancel', () => {
  const contentOf = async (id: string) => {
    const data = (await eventsOf(id)).at(-1)?.data as { content: { body: object }; request: object };
    return { ...data.content.body, request: data.request };
  };

  it.each([
    ['a plain reason', { reason: 'too slow', team: { id: 7 } }, 'too slow'],
    ['a reason under the extension', { reason: 'plain', [extensionUri]: { reason: 'ours' } }, 'ours'],
  ])('%s is recorded, shown, and the metadata kept whole', async (_what, metadata, reason) => {
    const { id } = await newTask(memory);
    const task = await canceled(id, metadata);
    expect(task.status.message?.parts).toEqual([{ text: `Canceled by request: ${reason}` }]);
    expect(await contentOf(id)).toMatchObject({ reason, metadata });
  });

  it.each([true, false])('cascade: %p is recorded as it was asked', async (cascade) => {
    const { id } = await newTask(memory);
    await canceled(id, { [extensionUri]: { cascade } });
    expect(await contentOf(id)).toMatchObject({ request: { cascade, mode: 'immediate' } });
  });
});
