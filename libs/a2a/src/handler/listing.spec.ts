import { MemoryEventStore } from '#testing';
import { callerOf, codeOf, openMemoryLedger, resultOf, type MemoryLedger } from '../../spec/memory-ledger.js';
import { moves, newTask, records, type ShownTask } from '../../spec/story.js';

interface Page {
  readonly tasks: readonly ShownTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

let memory: MemoryLedger;
const frozen = { now: () => Date.UTC(2026, 0, 1) };
beforeEach(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore(), clock: frozen });
});
afterEach(() => memory.close());

const list = async (params: object = {}): Promise<Page> =>
  resultOf(await memory.call('ListTasks', params)) as unknown as Page;
const ids = ({ tasks }: Page): string[] => tasks.map(({ id }) => id);

it('with nothing to show has every field', async () => {
  expect(await list()).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
});

describe('C14 pages', () => {
  it('hold every task once, in one order, with one total, whatever the page size', async () => {
    for (let count = 0; count < 7; count += 1) await newTask(memory);
    const whole = ids(await list());
    const seen: string[] = [];
    let pages = 0;
    let pageToken = '';
    do {
      const page = await list({ pageSize: pages === 1 ? 1 : 2, pageToken });
      expect(page.totalSize).toBe(7);
      seen.push(...ids(page));
      pageToken = page.nextPageToken;
      pages += 1;
    } while (pageToken !== '');
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(7);
  });

  it('a token that is damaged is -32602', async () => {
    for (let count = 0; count < 3; count += 1) await newTask(memory);
    const { nextPageToken: token } = await list({ pageSize: 1 });
    const flipped = `${token.slice(0, 5)}${token[5] === 'A' ? 'B' : 'A'}${token.slice(6)}`;
    for (const pageToken of ['%%%', flipped, `${token}x`]) {
      expect(codeOf(await memory.call('ListTasks', { pageSize: 1, pageToken }))).toBe(-32602);
    }
  });
});

describe('artifacts', () => {
  it('are not there unless they are asked for, and then always', async () => {
    const { id } = await newTask(memory);
    await newTask(memory);
    await records(memory, id, 'a1', 'one');
    for (const task of (await list()).tasks) expect(task).not.toHaveProperty('artifacts');
    for (const task of (await list({ includeArtifacts: false })).tasks)
      expect(task).not.toHaveProperty('artifacts');
    const { tasks } = await list({ includeArtifacts: true });
    expect(tasks.map(({ artifacts }) => artifacts?.length).sort()).toEqual([0, 1]);
  });
});

describe('filters', () => {
  it('by context show that context only', async () => {
    const { id } = await newTask(memory, { contextId: 'one' });
    await newTask(memory, { contextId: 'two' });
    expect(ids(await list({ context_id: 'one' }))).toEqual([id]);
  });

  it('by status find a stopped task among the failed', async () => {
    const [failed, stopped, done] = [await newTask(memory), await newTask(memory), await newTask(memory)];
    await moves(memory, failed.id, 'failed');
    await memory.ledger.commands.transition(callerOf('op', 'operator'), stopped.id, {
      to: 'stopped',
      stoppedBy: 'operator',
    });
    await moves(memory, done.id, 'completed');
    expect(new Set(ids(await list({ status: 'TASK_STATE_FAILED' })))).toEqual(
      new Set([failed.id, stopped.id]),
    );
    expect(ids(await list({ status: 'TASK_STATE_COMPLETED' }))).toEqual([done.id]);
    expect(ids(await list({ status: 'TASK_STATE_CANCELED' }))).toEqual([]);
  });

  it('C16 by time include the very instant', async () => {
    const { id } = await newTask(memory);
    expect(ids(await list({ statusTimestampAfter: '2026-01-01T00:00:00Z' }))).toEqual([id]);
    expect(ids(await list({ statusTimestampAfter: '2026-01-01T00:00:00.001Z' }))).toEqual([]);
  });
});

it('C09 shows as much history as is asked for', async () => {
  await newTask(memory);
  expect((await list({ historyLength: 0 })).tasks[0]).not.toHaveProperty('history');
  expect((await list()).tasks[0]?.history).toHaveLength(1);
});

it('C44 shows the caller’s tasks only', async () => {
  await newTask(memory);
  const told = { caller: callerOf('mallory', 'user', 'other') };
  expect(resultOf(await memory.call('ListTasks', { tenant: 'acme' }, told))).toMatchObject({
    tasks: [],
    totalSize: 0,
  });
});
