import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import { alice, ledgerOn, mallory, refusalOf, stranger, typesIn, worker } from './given.js';
import { RefusesOnce, WrittenBefore } from './stores.js';

let store: MemoryEventStore;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  ledger = await ledgerOn(store);
});

afterEach(() => ledger.close());

const newTask = async (caller = alice) => (await ledger.commands.create(caller, {})).task;
const ended = async () => {
  const { taskId } = await newTask();
  await ledger.commands.transition(worker, taskId, { to: 'completed' });
  return taskId;
};

describe('late updates', () => {
  it('what comes after the end is refused, and recorded beside the task', async () => {
    const taskId = await ended();
    const refused = await refusalOf(
      ledger.commands.transition(worker, taskId, { to: 'failed', reason: 'too slow' }),
    );
    expect(refused).toMatchObject({ code: 'task-is-terminal', state: 'TASK_STATE_COMPLETED', revision: 1 });
    const artifact = { artifactId: 'a', parts: [{ text: 'late' }] };
    await refusalOf(ledger.commands.recordArtifact(worker, taskId, { artifact }));
    expect(await ledger.reader.late(alice, taskId)).toMatchObject([
      {
        attempted: 'transition',
        to: 'failed',
        state: 'completed',
        content: { body: { update: { reason: 'too slow' } } },
      },
      { attempted: 'artifact', artifactId: 'a', metadata: { principal: 'worker-1', owner: 'alice' } },
    ]);
    expect((await ledger.reader.row(alice, taskId)).row.revision).toBe(1);
  });

  it('the same state again with nothing to say is a no-op, and never late', async () => {
    const taskId = await ended();
    expect(await ledger.commands.transition(worker, taskId, { to: 'completed' })).toMatchObject({
      task: { revision: 1 },
    });
    expect(await ledger.reader.late(alice, taskId)).toEqual([]);
  });

  it('a late update retried under its key is recorded once', async () => {
    const taskId = await ended();
    for (let retry = 0; retry < 3; retry += 1) {
      await refusalOf(ledger.commands.transition(worker, taskId, { to: 'failed' }, { idempotencyKey: 'k' }));
    }
    expect(await ledger.reader.late(alice, taskId)).toHaveLength(1);
  });

  it('the first 100 are kept, however many come at once', async () => {
    const taskId = await ended();
    const codes = await Promise.all(
      Array.from(
        { length: 110 },
        async () => (await refusalOf(ledger.commands.transition(worker, taskId, { to: 'failed' }))).code,
      ),
    );
    expect(new Set(codes)).toEqual(new Set(['task-is-terminal']));
    expect(await ledger.reader.late(alice, taskId)).toHaveLength(100);
  });

  it('what a role may not do is forbidden on an ended task too, and is not late', async () => {
    const taskId = await ended();
    expect(await refusalOf(ledger.commands.transition(alice, taskId, { to: 'failed' }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await ledger.reader.late(alice, taskId)).toEqual([]);
  });
});

describe('links', () => {
  it('a child takes tenant, owner and context of its parent, is younger, and is announced on it', async () => {
    const parent = await newTask();
    const { task: child, position } = await ledger.commands.create(worker, {
      parent: { taskId: parent.taskId },
    });
    expect(child).toMatchObject({
      tenant: 'acme',
      owner: 'alice',
      contextId: parent.contextId,
      rootTaskId: parent.taskId,
      parent: { taskId: parent.taskId, policy: 'cascade', onEnd: 'abandon' },
    });
    expect(child.createdAt > parent.createdAt).toBe(true);
    expect((await ledger.reader.row(alice, parent.taskId)).row).toMatchObject({
      children: { total: 1 },
      revision: 1,
    });
    const { events } = await ledger.reader.events(alice, parent.taskId, { limit: 9, direction: 'backwards' });
    expect(events[0]).toMatchObject({ type: 'ChildLinked', position });
  });

  it('a child of an ended parent is refused, and not made', async () => {
    const parentTaskId = await ended();
    expect(
      await refusalOf(ledger.commands.create(alice, { parent: { taskId: parentTaskId } })),
    ).toMatchObject({
      code: 'task-is-terminal',
      taskId: parentTaskId,
    });
    const other = await newTask();
    expect(
      await refusalOf(ledger.commands.adopt(alice, parentTaskId, { taskId: other.taskId })),
    ).toMatchObject({
      code: 'task-is-terminal',
    });
    expect(await typesIn(store, `ledger.task-${other.taskId}`)).toEqual(['TaskSubmitted']);
  });

  it('C43 a parent that cannot be read takes no child, and none is made', async () => {
    const parent = await newTask();
    const unknown = { id: '00000000-0000-4000-8000-000000000001', type: 'TaskTeleported', data: '{}' };
    const stream = `ledger.task-${parent.taskId}`;
    const [submitted] = await store.readStream(stream, { limit: 1 });
    await store.append(stream, [{ ...unknown, metadata: submitted?.metadata ?? '' }], 0);
    ledger.forget();
    const before = await store.readAll({ limit: 100, prefix: 'ledger.' });
    const create = ledger.commands.create(alice, { parent: { taskId: parent.taskId } });
    expect(await refusalOf(create)).toMatchObject({ code: 'task-unreadable', taskId: parent.taskId });
    expect(await store.readAll({ limit: 100, prefix: 'ledger.' })).toEqual(before);
  });

  it('a parent that the caller may not see looks absent', async () => {
    const parent = await newTask();
    for (const caller of [mallory, stranger]) {
      expect(await refusalOf(ledger.commands.create(caller, { parent: { taskId: parent.taskId } }))).toEqual({
        code: 'task-not-found',
        taskId: parent.taskId,
      });
    }
  });

  it('an adopted task has one owning parent; the same again changes nothing', async () => {
    const [first, second, child] = [await newTask(), await newTask(), await newTask()];
    const adopt = (parentTaskId: string) =>
      ledger.commands.adopt(alice, parentTaskId, { taskId: child.taskId });
    expect(await adopt(first.taskId)).toMatchObject({ task: { taskId: child.taskId, revision: 1 } });
    const again = await adopt(first.taskId);
    expect(again.position).toBeUndefined();
    expect(await refusalOf(adopt(second.taskId))).toMatchObject({ code: 'link-refused' });
    expect(await typesIn(store, `ledger.task-${first.taskId}`)).toEqual(['TaskSubmitted', 'ChildLinked']);
    expect(await typesIn(store, `ledger.task-${child.taskId}`)).toEqual(['TaskSubmitted', 'ParentAssigned']);
  });

  it('an owning link runs from the older to the younger', async () => {
    const [older, younger] = [await newTask(), await newTask()];
    expect(
      await refusalOf(ledger.commands.adopt(alice, younger.taskId, { taskId: older.taskId })),
    ).toMatchObject({
      code: 'link-refused',
    });
    expect(
      await refusalOf(ledger.commands.adopt(alice, older.taskId, { taskId: older.taskId })),
    ).toMatchObject({
      code: 'link-refused',
    });
  });

  it('a task of another owner is no possible child', async () => {
    const [parent, child] = [await newTask(), await newTask(mallory)];
    expect(await refusalOf(ledger.commands.adopt(worker, parent.taskId, { taskId: child.taskId }))).toEqual({
      code: 'task-not-found',
      taskId: child.taskId,
    });
  });

  it('another child under the same key is a conflict', async () => {
    const [parent, one, two] = [await newTask(), await newTask(), await newTask()];
    const adopt = (taskId: string) =>
      ledger.commands.adopt(alice, parent.taskId, { taskId }, { idempotencyKey: 'k' });
    await adopt(one.taskId);
    expect(await adopt(one.taskId)).toMatchObject({ repeated: true, task: { revision: 1 } });
    expect(await refusalOf(adopt(two.taskId))).toMatchObject({ code: 'idempotency-conflict' });
    expect(await typesIn(store, `ledger.task-${two.taskId}`)).toEqual(['TaskSubmitted']);
  });

  it('a link that loses the race against its parent’s end is recorded beside the parent, once', async () => {
    const [parent, child] = [await newTask(), await newTask()];
    const losing = new WrittenBefore(store, `ledger.task-${parent.taskId}`);
    const other = await ledgerOn(losing);
    losing.before = async () => {
      await ledger.commands.transition(worker, parent.taskId, { to: 'completed' });
    };
    const adopt = () => other.commands.adopt(alice, parent.taskId, { taskId: child.taskId });
    const written = await adopt();
    expect(written).toMatchObject({ task: { parent: { taskId: parent.taskId } } });
    expect(written.position).toBeDefined();
    await adopt();
    expect(await typesIn(store, `ledger.task-${parent.taskId}`)).toEqual(['TaskSubmitted', 'TaskCompleted']);
    expect(await typesIn(store, `ledger.late-${parent.taskId}`)).toEqual(['LateChildLinked']);
    await other.close();
  });

  it('a keyed adoption that crashed before its announcement is found before If-Match when retried', async () => {
    const [parent, child] = [await newTask(), await newTask()];
    const crashed = await ledgerOn(new RefusesOnce(store, `ledger.task-${parent.taskId}`));
    const options = { idempotencyKey: 'k', ifMatch: 0 };
    const adopt = ({ commands }: Ledger) =>
      commands.adopt(alice, parent.taskId, { taskId: child.taskId }, options);
    expect(await refusalOf(adopt(crashed))).toMatchObject({ code: 'unavailable' });
    await crashed.close();
    await ledger.commands.transition(worker, parent.taskId, { to: 'working' });
    expect(await adopt(ledger)).toMatchObject({ repeated: true, task: { revision: 1 } });
    expect(await typesIn(store, `ledger.task-${parent.taskId}`)).toContain('ChildLinked');
  });

  it('a keyed create that crashed before its announcement finishes it when retried', async () => {
    const parent = await newTask();
    const failing = new RefusesOnce(store, `ledger.task-${parent.taskId}`);
    const crashed = await ledgerOn(failing);
    const options = { idempotencyKey: 'k' };
    const input = { parent: { taskId: parent.taskId } };
    expect(await refusalOf(crashed.commands.create(alice, input, options))).toMatchObject({
      code: 'unavailable',
    });
    await crashed.close();
    expect(await typesIn(store, `ledger.task-${parent.taskId}`)).toEqual(['TaskSubmitted']);
    expect(await ledger.commands.create(alice, input, options)).toMatchObject({ repeated: true });
    expect(await typesIn(store, `ledger.task-${parent.taskId}`)).toEqual(['TaskSubmitted', 'ChildLinked']);
    expect(await store.readAll({ limit: 100, prefix: 'ledger.task-' })).toHaveLength(3);
  });
});
