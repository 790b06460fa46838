import type { Caller } from '#domain';
import { MemoryEventStore } from '#testing';
import type { EventFrame, Ledger } from '../src/index.js';
import { noticesMax } from '../src/workers/worker-notices.js';
import { alice, mallory, operator, refusalOf, typesIn, worker } from './given.js';
import { CarryingLedger } from './with-saga.js';

let store: MemoryEventStore;
let world: CarryingLedger;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  world = await CarryingLedger.on(store);
  ({ ledger } = world);
});

afterEach(() => world.close());

const certificate = (cancellationId: string) => ledger.cancellations.get(alice, cancellationId);
const workerOf = async (cancellationId: string, taskId: string) =>
  (await certificate(cancellationId)).nodes.find((node) => node.taskId === taskId)?.worker;
const typesOf = (cancellationId: string) => typesIn(store, `ledger.cancellation-${cancellationId}`);
const eventsOf = async (cancellationId: string, type: string) =>
  (await typesOf(cancellationId)).filter((found) => found === type).length;

describe('an acknowledgement', () => {
  it('stands on the certificate with who and when, and closes it', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const written = await ledger.commands.acknowledge(worker, root, { note: 'stopped' });
    expect(written).toMatchObject({ cancellationId, repeated: false, task: { taskId: root } });
    expect(written.position).toBeDefined();
    const found = await certificate(cancellationId);
    expect(found).toMatchObject({ status: 'confirmed', unconfirmed: [], workers: { acknowledged: 1 } });
    expect(found.nodes[0]?.acknowledged).toEqual({ by: 'worker-1', at: found.confirmedAt });
  });

  it('said again, with or without its key, adds nothing', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const options = { idempotencyKey: 'k' };
    const first = await ledger.commands.acknowledge(worker, root, {}, options);
    const again = await ledger.commands.acknowledge(worker, root, {}, options);
    expect(again).toMatchObject({ cancellationId, repeated: true, position: first.position });
    await ledger.commands.acknowledge(worker, root, {});
    expect(await eventsOf(cancellationId, 'WorkerAcknowledged')).toBe(1);
    const other = ledger.commands.acknowledge(worker, root, { note: 'else' }, options);
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency-conflict', taskId: root });
  });

  it('under a key that was used is known after a restart too, and does not close what was opened since', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const options = { idempotencyKey: 'k' };
    await ledger.commands.acknowledge(worker, root, {}, options);
    await refusalOf(ledger.commands.transition(worker, root, { to: 'completed' }));
    ledger.forget();
    expect(await ledger.commands.acknowledge(worker, root, {}, options)).toMatchObject({ repeated: true });
    expect(await workerOf(cancellationId, root)).toBe('wroteLate');
    await ledger.commands.acknowledge(worker, root, {});
    expect(await workerOf(cancellationId, root)).toBe('acknowledged');
  });

  it('under a key that was used is known before If-Match, and when the request is not open any more', async () => {
    const root = await world.working();
    const { cancellationId, task } = await world.cancel(root, { mode: 'cooperative' });
    const options = { idempotencyKey: 'k', ifMatch: task.revision };
    const first = await ledger.commands.acknowledge(worker, root, {}, options);
    await ledger.commands.decline(worker, root, {});
    expect(await ledger.commands.acknowledge(worker, root, {}, options)).toMatchObject({
      cancellationId,
      repeated: true,
      position: first.position,
    });
    const other = ledger.commands.acknowledge(worker, root, { note: 'else' }, options);
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency-conflict' });
    const late = ledger.commands.acknowledge(worker, root, {}, { ...options, idempotencyKey: 'l' });
    expect(await refusalOf(late)).toMatchObject({ code: 'revision-mismatch' });
  });

  it('may be given while the task is only asked, before it has a line', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    await ledger.commands.acknowledge(worker, root, {});
    await ledger.commands.cancel(alice, root, {});
    await world.carried();
    expect(await certificate(cancellationId)).toMatchObject({ status: 'confirmed' });
  });

  it('is the end that the agent reports itself', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    await ledger.commands.transition(worker, root, { to: 'canceled' });
    await world.carried();
    const found = await certificate(cancellationId);
    expect(found.status).toBe('confirmed');
    expect(found.nodes[0]).toMatchObject({ worker: 'acknowledged', acknowledged: { by: 'worker-1' } });
  });

  it('is `canceled`, reported of a task that is canceled; with anything to say it is late', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const canceled = await ledger.commands.transition(worker, root, { to: 'canceled' });
    expect(canceled).toMatchObject({ task: { state: 'canceled', revision: 2 } });
    expect(canceled.position).toBeDefined();
    expect((await ledger.commands.transition(worker, root, { to: 'canceled' })).position).toBeUndefined();
    expect(await workerOf(cancellationId, root)).toBe('acknowledged');
    const reasoned = ledger.commands.transition(worker, root, { to: 'canceled', reason: 'as you wish' });
    expect(await refusalOf(reasoned)).toMatchObject({ code: 'task-is-terminal' });
    expect(await workerOf(cancellationId, root)).toBe('wroteLate');
  });

  it('of a task that no cancellation has come to finds none; a user may not give it', async () => {
    const root = await world.working();
    expect(await refusalOf(ledger.commands.acknowledge(worker, root, {}))).toMatchObject({
      code: 'cancellation-not-found',
      taskId: root,
    });
    await world.cancel(root);
    expect(await refusalOf(ledger.commands.acknowledge(alice, root, {}))).toMatchObject({
      code: 'forbidden',
    });
    expect(await refusalOf(ledger.commands.acknowledge(mallory, root, {}))).toMatchObject({
      code: 'task-not-found',
    });
  });
});

describe('a decline', () => {
  it('closes the request, and shields the task and what is below it', async () => {
    const root = await world.working();
    const child = await world.working(root);
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    const declined = await ledger.commands.decline(worker, root, { note: 'nearly done' });
    expect(declined).toMatchObject({ cancellationId, task: { state: 'working' } });
    expect(declined.task.openCancellation).toBeUndefined();
    await world.carried();
    expect(await certificate(cancellationId)).toMatchObject({
      status: 'confirmed',
      counts: { refused: 1, canceled: 0 },
      survivors: [root],
    });
    expect(await world.stateOf(child)).toBe('working');
  });

  it('under its key answers as the first time did', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    const options = { idempotencyKey: 'k' };
    await ledger.commands.decline(worker, root, {}, options);
    const again = await ledger.commands.decline(worker, root, {}, options);
    expect(again).toMatchObject({ cancellationId, repeated: true, task: { revision: 3 } });
    expect(await typesIn(store, `ledger.task-${root}`)).toHaveLength(4);
  });

  it('needs an open request, and an agent', async () => {
    const root = await world.working();
    expect(await refusalOf(ledger.commands.decline(worker, root, {}))).toMatchObject({
      code: 'transition-not-allowed',
      from: 'working',
      to: 'declined',
    });
    await world.cancel(root, { mode: 'cooperative' });
    expect(await refusalOf(ledger.commands.decline(alice, root, {}))).toMatchObject({ code: 'forbidden' });
  });
});

describe('a late write', () => {
  it('of a canceled task is refused as ever, and stands on the certificate once', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const artifact = { artifactId: 'a', parts: [{ text: 'late' }] };
    for (let time = 0; time < 3; time += 1)
      expect(await refusalOf(ledger.commands.recordArtifact(worker, root, { artifact }))).toMatchObject({
        code: 'task-is-terminal',
      });
    expect(await workerOf(cancellationId, root)).toBe('wroteLate');
    expect(await eventsOf(cancellationId, 'WorkerWroteLate')).toBe(1);
    expect((await ledger.reader.late(alice, root)).length).toBeGreaterThan(0);
  });

  it('of a task that a parent’s end stopped is noted too; of one that ended by itself nowhere', async () => {
    const parent = await world.working();
    const child = await world.working(parent, { onEnd: 'cascade' });
    await ledger.commands.transition(worker, parent, { to: 'completed' });
    await world.carried();
    const { cancellationId = '' } = (await ledger.cascade.task(child)) ?? {};
    await refusalOf(ledger.commands.transition(worker, child, { to: 'completed' }));
    await refusalOf(ledger.commands.transition(worker, parent, { to: 'failed' }));
    expect(await workerOf(cancellationId, child)).toBe('wroteLate');
    expect(await eventsOf(cancellationId, 'WorkerWroteLate')).toBe(1);
  });
});

describe('workers that were told', () => {
  const frame = (cancellationId: string, taskId: string): EventFrame => ({
    position: '',
    stream: `ledger.task-${taskId}`,
    taskId,
    revision: 1,
    id: taskId,
    type: 'TaskCanceled',
    at: '',
    data: { cancellationId },
    metadata: {},
  });
  const told = async (cancellationId: string, count: number) => {
    // Written before the ledger has closed.
    await ledger.close();
    const events = await store.readStream(`ledger.cancellation-${cancellationId}`, { limit: 4_096 });
    const notified = events.filter(({ type }) => type === 'WorkersNotified');
    const data = notified.map(
      (event) => JSON.parse(event.data) as { taskIds: string[]; to: string; through: string },
    );
    expect(data.flatMap(({ taskIds }) => taskIds)).toHaveLength(count);
    return data;
  };

  /** Reads a feed until it has brought an event of this type for each of the tasks. */
  const feed = async (caller: Caller, taskIds: readonly string[]) => {
    const over = new AbortController();
    const missing = new Set(taskIds);
    for await (const frames of ledger.live.feed(caller, { from: 'start', signal: over.signal })) {
      for (const { type, taskId = '' } of frames) if (type === 'TaskCanceled') missing.delete(taskId);
      // Asked for once more, so that the last frames count as handed out.
      if (missing.size === 0) setImmediate(() => over.abort());
    }
  };

  it('by a feed are notified, for many tasks at once', async () => {
    const root = await world.working();
    const children = [await world.working(root), await world.working(root)];
    const { cancellationId } = await world.cancel(root);
    await feed(worker, [root, ...children]);
    expect(await told(cancellationId, 3)).toMatchObject([{ to: 'worker-1', through: 'feed' }]);
  });

  it('by a watch are notified of what they watched', async () => {
    const root = await world.working();
    const over = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { event } of ledger.live.watch(root, 1, over.signal, worker)) seen.push(event.type);
    })();
    const { cancellationId } = await world.cancel(root);
    await watching;
    expect(seen).toEqual(['TaskCanceled']);
    expect(await told(cancellationId, 1)).toMatchObject([
      { taskIds: [root], to: 'worker-1', through: 'stream' },
    ]);
  });

  it('are agents: users and operators are nobody’s worker', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    await feed(alice, [root]);
    ledger.live.sent(operator, [frame(cancellationId, root)]);
    await told(cancellationId, 0);
  });

  it('are claimed at most as many as there is room for', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const frames = Array.from({ length: noticesMax + 1 }, (_, index) => frame(cancellationId, String(index)));
    ledger.live.sent(worker, frames);
    const events = await told(cancellationId, noticesMax);
    expect(Math.max(...events.map(({ taskIds }) => taskIds.length))).toBeLessThanOrEqual(256);
  });

  it('of a cancellation that nobody has opened are not claimed', async () => {
    ledger.live.sent(worker, [frame('unknown', 't')]);
    await told('unknown', 0);
  });
});
