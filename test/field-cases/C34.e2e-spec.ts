import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  type Answer,
  alice,
  LedgerApi,
  textsOf,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

const rounds = 50;
const writers = 100;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C34 overlapping writers lose nothing of each other', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const round = async (): Promise<void> => {
    const { id } = await rpc.newTask('start', { messageId: 'start' });
    await agent.chunk(id, 'a1', ['open']);
    const names = Array.from({ length: writers }, (_, index) => String(index));
    const half = writers / 2;
    const pair = (name: string): Promise<Answer<unknown>>[] => [
      user.message(id, userMessage(name, { messageId: `m${name}` })),
      agent.chunk(id, 'a1', [`c${name}`], { append: true }),
    ];
    const sent = [
      ...names.slice(0, half).flatMap(pair),
      user.cancel(id, { cascade: false }),
      ...names.slice(half).flatMap(pair),
    ];
    const answers = await Promise.all(sent);

    const accepted = answers.filter(({ status }) => status < 300);
    const refused = answers.filter(({ status }) => status >= 300);
    for (const { problem } of refused)
      expect(problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
    const types = await agent.eventTypes(id);
    expect(types.at(-1)).toBe('TaskCanceled');
    expect(types).toHaveLength(2 + accepted.length);
    await expectTold(id, names, answers);
  };

  /** What was accepted is in the task, once; what was refused is not. */
  const expectTold = async (
    id: string,
    names: readonly string[],
    answers: readonly Answer<unknown>[],
  ): Promise<void> => {
    const task = (await rpc.getTask(id, { historyLength: 1_000 })).result;
    const writes = answers.filter((_, index) => index !== writers);
    const acceptedOf = (parity: number, prefix: string): string[] =>
      names
        .filter((_, index) => (writes[2 * index + parity]?.status ?? 500) < 300)
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
      for (let index = 0; index < rounds; index++) await round();
    },
    heavyLimitMs,
  );
});
