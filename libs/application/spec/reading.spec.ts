import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import {
  agentMessage,
  alice,
  HandClock,
  ledgerOn,
  operator,
  refusalOf,
  userMessage,
  worker,
} from './given.js';

let store: MemoryEventStore;
let ledger: Ledger;
let clock: HandClock;

beforeEach(async () => {
  store = new MemoryEventStore();
  clock = new HandClock();
  ledger = await ledgerOn(store, { clock });
});

afterEach(() => ledger.close());

/** A day of one task: two users' messages, an agent's work, chunks of an artifact, the end. */
const givenHistory = async (): Promise<string> => {
  const { taskId } = (await ledger.commands.send(alice, { message: userMessage('m1') })).task;
  const chunk = (text: string, append: boolean) =>
    ledger.commands.recordArtifact(worker, taskId, {
      artifact: { artifactId: 'a1', parts: [{ text }] },
      append,
    });
  const steps = [
    () =>
      ledger.commands.transition(worker, taskId, { to: 'working', occurredAt: '2026-03-01T11:59:59.000Z' }),
    () => chunk('one', false),
    () => ledger.commands.recordMessage(worker, taskId, { message: agentMessage('am') }),
    () => ledger.commands.send(operator, { message: userMessage('m2', 'm2', { taskId }) }),
    () => chunk('two', true),
    () => ledger.commands.transition(worker, taskId, { to: 'completed', reason: 'done' }),
  ];
  for (const step of steps) {
    clock.move(1_000);
    await step();
  }
  return taskId;
};

describe('the timeline', () => {
  it('C50 shows every turn with its time, actor, kind and position, in order, page by page', async () => {
    const taskId = await givenHistory();
    const { entries, next } = await ledger.reader.timeline(alice, taskId, { limit: 100 });
    expect(next).toBeUndefined();
    expect(
      entries.map(({ revision, kind, actor, at }) => [revision, kind, actor.principal, at.slice(11, 19)]),
    ).toEqual([
      [0, 'message', 'alice', '12:00:00'],
      [1, 'transition', 'worker-1', '12:00:01'],
      [2, 'artifact', 'worker-1', '12:00:02'],
      [3, 'message', 'worker-1', '12:00:03'],
      [4, 'message', 'olga', '12:00:04'],
      [5, 'artifact', 'worker-1', '12:00:05'],
      [6, 'transition', 'worker-1', '12:00:06'],
    ]);
    expect(entries[1]).toMatchObject({
      from: 'TASK_STATE_SUBMITTED',
      to: 'TASK_STATE_WORKING',
      occurredAt: '2026-03-01T11:59:59.000Z',
    });
    expect(entries[6]).toMatchObject({
      from: 'TASK_STATE_WORKING',
      to: 'TASK_STATE_COMPLETED',
      reason: 'done',
    });
    const positions = entries.map(({ position }) => position as string);
    expect([...positions].sort()).toEqual(positions);
    const pages: number[][] = [];
    for (let after = -1 as number | undefined; after !== undefined;) {
      const page = await ledger.reader.timeline(alice, taskId, { after, limit: 3 });
      pages.push(page.entries.map(({ revision }) => revision));
      after = page.next;
    }
    expect(pages).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  });

  it('C50 after a message comes what followed it; an unknown message is refused by name', async () => {
    const taskId = await givenHistory();
    const { entries } = await ledger.reader.timeline(alice, taskId, { afterMessage: 'm2', limit: 100 });
    expect(entries.map(({ kind }) => kind)).toEqual(['artifact', 'transition']);
    expect(await refusalOf(ledger.reader.timeline(alice, taskId, { afterMessage: 'm9', limit: 1 }))).toEqual({
      code: 'invalid-request',
      field: 'afterMessage',
    });
  });

  it('shows a cancellation with who asked for it, and a link with its child', async () => {
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const child = await ledger.commands.create(alice, { parent: { taskId } });
    const { cancellationId } = await ledger.commands.cancel(alice, taskId, { reason: 'enough' });
    const { entries } = await ledger.reader.timeline(alice, taskId, { limit: 10 });
    expect(entries).toMatchObject([
      { kind: 'transition', to: 'TASK_STATE_SUBMITTED' },
      { kind: 'link', child: { taskId: child.task.taskId } },
      { kind: 'cancellation', cancellationId, reason: 'enough', requestedBy: { principal: 'alice' } },
    ]);
  });
});

describe('as of', () => {
  it('a task is shown as of a revision and as of an instant, as it was then', async () => {
    const taskId = await givenHistory();
    const at3 = await ledger.reader.replay(alice, taskId, { revision: 3 });
    expect(at3).toMatchObject({ task: { revision: 3, state: 'working' }, at: '2026-03-01T12:00:03.000Z' });
    expect(at3.document.messages.map(({ message }) => message.messageId)).toEqual(['m1', 'am']);
    expect(at3.document.artifacts[0]?.parts).toEqual([{ text: 'one' }]);
    expect(await ledger.reader.replay(alice, taskId, { at: '2026-03-01T12:00:03.999Z' })).toEqual(at3);
    const now = await ledger.reader.replay(alice, taskId);
    expect({ task: now.task, document: now.document }).toEqual(await ledger.reader.read(alice, taskId));
  });

  it('what never was is refused by name: a revision to come, an instant before the beginning', async () => {
    const taskId = await givenHistory();
    const fieldOf = async (until: { revision: number } | { at: string }) =>
      (await refusalOf(ledger.reader.replay(alice, taskId, until))).field;
    expect(await fieldOf({ revision: 7 })).toBe('revision');
    expect(await fieldOf({ at: '2026-03-01T11:00:00.000Z' })).toBe('at');
  });
});

describe('events', () => {
  it('come as stored, in pages both ways', async () => {
    const taskId = await givenHistory();
    const forwards = await ledger.reader.events(alice, taskId, { from: 1, limit: 2, direction: 'forwards' });
    expect(forwards).toMatchObject({
      next: 3,
      events: [{ revision: 1, type: 'TaskStarted' }, { revision: 2 }],
    });
    const backwards = await ledger.reader.events(alice, taskId, { limit: 3, direction: 'backwards' });
    expect(backwards.events.map(({ revision }) => revision)).toEqual([6, 5, 4]);
    expect(backwards.next).toBe(3);
    const last = await ledger.reader.events(alice, taskId, { from: 1, limit: 3, direction: 'backwards' });
    expect(last.next).toBeUndefined();
    const [stored] = await store.readStream(`ledger.task-${taskId}`, { from: 1, limit: 1 });
    expect(forwards.events[0]).toMatchObject({
      id: stored?.id,
      data: JSON.parse(stored?.data ?? '') as unknown,
      metadata: JSON.parse(stored?.metadata ?? '') as unknown,
      occurredAt: '2026-03-01T11:59:59.000Z',
      stream: `ledger.task-${taskId}`,
      taskId,
    });
  });
});

describe('why', () => {
  it('leads from the last state to the request that made the task, and on to those above it', async () => {
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const child = (await ledger.commands.create(worker, { parent: { taskId } })).task.taskId;
    await ledger.commands.transition(worker, child, { to: 'failed', reason: 'no input' });
    expect(await ledger.reader.why(alice, child)).toMatchObject([
      { stream: `ledger.task-${child}`, type: 'TaskFailed', principal: 'worker-1', reason: 'no input' },
      { stream: `ledger.task-${child}`, type: 'TaskSubmitted', principal: 'worker-1' },
      { stream: `ledger.task-${taskId}`, type: 'TaskSubmitted', principal: 'alice' },
    ]);
  });

  it('leads from a canceled task to whoever asked for it', async () => {
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const { cancellationId } = await ledger.commands.cancel(alice, taskId, { reason: 'enough' });
    expect(await ledger.reader.why(alice, taskId)).toMatchObject([
      { stream: `ledger.task-${taskId}`, revision: 1, type: 'TaskCanceled', reason: 'enough' },
      {
        stream: `ledger.cancellation-${cancellationId}`,
        revision: 0,
        type: 'CancellationOpened',
        principal: 'alice',
        reason: 'enough',
      },
    ]);
  });
});

describe('a task with an event that cannot be read', () => {
  const given = async (type: string, data: string): Promise<string> => {
    const { taskId } = (await ledger.commands.send(alice, { message: userMessage('m1') })).task;
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    const stream = `ledger.task-${taskId}`;
    const [started] = await store.readStream(stream, { from: 1, limit: 1 });
    const id = '00000000-0000-4000-8000-000000000000';
    await store.append(stream, [{ id, type, data, metadata: started?.metadata ?? '{}' }], 1);
    ledger.forget();
    return taskId;
  };

  it.each([
    ['TaskTeleported', '{"at":"2026-03-01T12:00:00.000Z"}'],
    ['TaskCompleted', 'not json'],
    ['TaskCompleted', '{"v":99,"at":"2026-03-01T12:00:00.000Z","content":{"enc":"none","body":{}}}'],
    ['MessageRecorded', '{"at":"2026-03-01T12:00:00.000Z"}'],
  ])('is served flagged as of the last readable one, and takes no writes (%s %s)', async (type, data) => {
    const taskId = await given(type, data);
    const flagged = { revision: 2, type };
    expect((await ledger.reader.row(alice, taskId)).row).toMatchObject({
      revision: 1,
      state: 'TASK_STATE_WORKING',
      flagged,
    });
    expect((await ledger.reader.read(alice, taskId)).task.unreadable).toEqual(flagged);
    const writes = [
      ledger.commands.transition(worker, taskId, { to: 'completed' }),
      ledger.commands.cancel(alice, taskId, {}),
      ledger.commands.send(alice, { message: userMessage('m2', 'm', { taskId }) }),
    ];
    for (const write of writes) expect(await refusalOf(write)).toMatchObject({ code: 'task-unreadable' });
    const { events } = await ledger.reader.events(alice, taskId, { limit: 1, direction: 'backwards' });
    expect(events[0]).toMatchObject({ revision: 2, type });
    const { entries } = await ledger.reader.timeline(alice, taskId, { limit: 10 });
    expect(entries).toHaveLength(2);
  });

  it('C43 a watch begun after a restart says so too, and does not wait for ever', async () => {
    const taskId = await given('TaskTeleported', '{}');
    await ledger.close();
    ledger = await ledgerOn(store, { clock });
    const waited = ledger.live.waitFor(taskId, 0, () => false, { timeoutMs: 60_000 });
    expect(await refusalOf(waited)).toMatchObject({ code: 'task-unreadable', revision: 2 });
  });

  it('C43 a history ends before the event, wherever a page of it begins', async () => {
    const taskId = await given('TaskTeleported', '{}');
    const stream = `ledger.task-${taskId}`;
    const [first] = await store.readStream(stream, { limit: 1 });
    const { type, data, metadata } = first ?? { type: '', data: '', metadata: '' };
    await store.append(stream, [{ id: '00000000-0000-4000-8000-000000000001', type, data, metadata }], 2);
    for (const [after, revisions] of [
      [-1, [0, 1]],
      [1, []],
      [2, []],
    ] as const) {
      const { entries, next } = await ledger.reader.timeline(alice, taskId, { after, limit: 10 });
      expect([entries.map(({ revision }) => revision), next]).toEqual([revisions, undefined]);
    }
  });

  it.each([
    [0, 'of another task'],
    [1, 'no beginning'],
  ])(
    'C43 a first event that is not its own is not taken (revision %s, %s) for this one',
    async (revision) => {
      const { taskId } = (await ledger.commands.create(alice, {})).task;
      await ledger.commands.transition(worker, taskId, { to: 'working' });
      const [stored] = await store.readStream(`ledger.task-${taskId}`, { from: revision, limit: 1 });
      const { type, data, metadata } = stored ?? { type: '', data: '', metadata: '' };
      const copied = { id: '00000000-0000-4000-8000-000000000002', type, data, metadata };
      await store.append('ledger.task-copied', [copied], 'none');
      const flagged = { revision: 0, type };
      expect((await ledger.reader.row(alice, 'copied')).row).toMatchObject({ taskId: 'copied', flagged });
      expect(await refusalOf(ledger.commands.cancel(alice, 'copied', {}))).toMatchObject({
        code: 'task-unreadable',
      });
    },
  );

  it('a watch brings what can be read, and then says why it ends', async () => {
    const taskId = await given('TaskTeleported', '{}');
    const watch = ledger.live.watch(taskId, 0, new AbortController().signal)[Symbol.asyncIterator]();
    expect((await watch.next()).value).toMatchObject({ event: { type: 'TaskStarted' } });
    expect(await refusalOf(watch.next())).toMatchObject({ code: 'task-unreadable', revision: 2 });
    expect(ledger.live.open).toBe(0);
  });
});

describe('the log', () => {
  it('keeps its identity over restarts, and gives it to whoever opens it at the same time', async () => {
    const fresh = new MemoryEventStore();
    const opened = await Promise.all([ledgerOn(fresh), ledgerOn(fresh), ledgerOn(fresh)]);
    const again = await ledgerOn(fresh);
    expect(new Set([...opened, again].map(({ logId }) => logId)).size).toBe(1);
    expect(again.logId).toMatch(/^[a-z0-9]{8}$/);
    expect(await fresh.readStream('ledger.log', { limit: 10 })).toHaveLength(1);
    for (const each of [...opened, again]) await each.close();
  });

  it('time never goes back in a stream, whatever the clock does', async () => {
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    clock.move(-3_600_000);
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    const { events } = await ledger.reader.events(alice, taskId, { limit: 2, direction: 'forwards' });
    expect(events.map(({ at }) => at)).toEqual(['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z']);
  });
});
