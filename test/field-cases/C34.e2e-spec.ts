import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  type Answer,
  alice,
  LedgerApi,
  settled,
  textsOf,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

const rounds = 20;
const writers = 100;
const writersOfChild = 30;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C34 overlapping writers lose nothing of each other', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  /** The cancel that meets the writers of a task: of the task itself, or of one above it. */
  type Cancel = () => Promise<Answer<unknown>>;

  const round = async (
    id: string,
    cancel: Cancel,
    count: number,
    ended: () => Promise<void>,
  ): Promise<void> => {
    await agent.chunk(id, 'a1', ['open']);
    const before = (await agent.eventTypes(id)).length;
    const names = Array.from({ length: count }, (_, index) => String(index));
    const half = count / 2;
    const pair = (name: string): Promise<Answer<unknown>>[] => [
      user.message(id, userMessage(name, { messageId: `m${name}` })),
      agent.chunk(id, 'a1', [`c${name}`], { append: true }),
    ];
    const sent = [...names.slice(0, half).flatMap(pair), cancel(), ...names.slice(half).flatMap(pair)];
    const answers = await Promise.all(sent);
    await ended();

    const [canceled] = answers.splice(count, 1);
    expect(canceled?.status).toBe(202);
    const accepted = answers.filter(({ status }) => status < 300);
    const refused = answers.filter(({ status }) => status >= 300);
    for (const { problem } of refused)
      expect(problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
    const types = await agent.eventTypes(id);
    expect(types.at(-1)).toBe('TaskCanceled');
    expect(types).toHaveLength(before + accepted.length + 1);
    await expectTold(id, names, answers);
  };

  /** What was accepted is in the task, once; what was refused is not. */
  const expectTold = async (
    id: string,
    names: readonly string[],
    answers: readonly Answer<unknown>[],
  ): Promise<void> => {
    const task = (await rpc.getTask(id, { historyLength: 1_000 })).result;
    const acceptedOf = (parity: number, prefix: string): string[] =>
      names
        .filter((_, index) => (answers[2 * index + parity]?.status ?? 500) < 300)
        .map((name) => prefix + name);
    const messageIds = (task.history ?? []).map(({ messageId }) => messageId);
    expect(new Set(messageIds)).toEqual(new Set(['start', ...acceptedOf(0, 'm')]));
    expect(messageIds).toHaveLength(new Set(messageIds).size);
    const chunks = textsOf(task.artifacts?.[0]?.parts);
    expect(new Set(chunks)).toEqual(new Set(['open', ...acceptedOf(1, 'c')]));
    expect(chunks).toHaveLength(new Set(chunks).size);
  };

  it(
    'C34 100 messages, 100 chunks and a cancel at once: accepted is stored once, refused is a typed conflict',
    async () => {
      for (let index = 0; index < rounds; index++) {
        const { id } = await rpc.newTask('start', { messageId: 'start' });
        const cancel: Cancel = () => user.cancel(id, { cascade: false });
        await round(id, cancel, writers, async () => undefined);
      }
    },
    heavyLimitMs,
  );

  it(
    'C34 the same on a child, and the cancel comes down from its parent',
    async () => {
      for (let index = 0; index < rounds; index++) {
        const parent = (await user.create()).body.taskId;
        const message = userMessage('start', { messageId: 'start' });
        const child = (await user.create({ parent: { taskId: parent }, message: { ...message } })).body
          .taskId;
        let cancellationId = '';
        const cancel: Cancel = async () => {
          const answer = await user.cancel(parent);
          cancellationId = answer.body.cancellationId;
          return answer;
        };
        await round(child, cancel, writersOfChild, async () => {
          const { counts } = await settled(user, cancellationId);
          expect(counts.canceled).toBe(2);
        });
      }
    },
    heavyLimitMs,
  );
});
