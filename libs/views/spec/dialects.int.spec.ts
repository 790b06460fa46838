import { MemoryEventStore } from '#testing';
import { message } from './log-writer.js';
import { all, operator, user, ViewBench, wholeCancellations, wholeList } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

/** By the bytes of UTF-8, in which a pair of surrogates comes after every other character. */
const idsInOrder = [
  '0',
  'A',
  'Z',
  'a',
  'aB',
  'a_b',
  'ab',
  'z',
  'É',
  'é',
  '字',
  '\uE000x',
  '\uFFFDx',
  '😀',
  '😀a',
];

overEveryPlace('Whatever the database, views', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const submitInOtherOrder = async (): Promise<void> => {
    for (const taskId of [...idsInOrder].reverse()) await bench.log.submit(taskId, { contextId: 'É' });
  };

  it('order ids of one instant by their bytes, on every page, and while versions close', async () => {
    await submitInOtherOrder();
    const views = await bench.started();
    const whole = await wholeList(views, operator, { ...all, pageSize: 2 });
    const first = await views.reader.listRows(operator, { ...all, pageSize: 2 });
    for (const taskId of ['😀', '\uFFFDx', 'z', 'é']) await bench.log.say(taskId, 'more');
    await bench.inStep(views);
    const rest = await wholeList(views, operator, { ...all, pageSize: 2, pageToken: first.nextPageToken });

    expect(whole.tasks.map(({ taskId }) => taskId)).toEqual(idsInOrder);
    expect([...first.items, ...rest.tasks].map(({ taskId }) => taskId)).toEqual(idsInOrder);
    expect(new Set([...whole.totals, ...rest.totals])).toEqual(new Set([idsInOrder.length]));
  });

  it('tell ids apart that differ in case, or in the form of an accent', async () => {
    for (const contextId of ['ctx', 'CTX', 'é', 'e\u0301'])
      await bench.log.submit(`of ${contextId}`, { contextId });
    const views = await bench.started();
    for (const contextId of ['ctx', 'CTX', 'é', 'e\u0301']) {
      const { items, totalSize } = await views.reader.listRows(operator, { ...all, filter: { contextId } });
      expect(items.map(({ taskId }) => taskId)).toEqual([`of ${contextId}`]);
      expect(totalSize).toBe(1);
    }
    expect((await views.reader.listRows(user('Ann'), all)).totalSize).toBe(0);
  });

  it('hold ids of the longest, whatever they are made of', async () => {
    const long = (first: string): string => first.padEnd(256, '字');
    await bench.log.submit(long('task'), {
      tenant: 'acme',
      owner: long('owner'),
      contextId: long('context'),
    });
    await bench.log.submit('child', {
      parent: { taskId: long('task') },
      owner: long('owner'),
      link: { kind: 'run', id: long('run') },
    });
    const views = await bench.started();
    await bench.log.say('child', 'more');
    await bench.inStep(views);

    const caller = user(long('owner'));
    const filter = { contextId: long('context'), rootTaskId: long('task') };
    expect((await views.reader.listRows(caller, { ...all, filter })).totalSize).toBe(2);
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('give back texts as they came: quotes, NUL, backslashes, halves of pairs, and null', async () => {
    const texts = [
      '"\\ \' $1 @a {b} NULL',
      'a\0b',
      '\uE0000\uE000',
      '\ud800',
      'é\u2028😀',
      '\\u0000',
      '\r\n\t',
    ];
    await bench.log.submit('talk', { text: 'begin' });
    for (const text of texts) await bench.log.say('talk', text);
    const data = [null, { a: null, b: '\0' }];
    await bench.log.run('talk', {
      type: 'RecordMessage',
      at: bench.log.at(),
      message: { ...message(''), parts: [{ data }] },
    });
    await bench.log.add('talk', { artifactId: '"\\é😀', parts: texts.map((text) => ({ text })) });
    const views = await bench.started();

    const { items } = await views.reader.listTasks(operator, { ...all, messages: 100, artifacts: true });

    expect(items[0]?.document).toEqual(bench.log.document('talk'));
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('give back a reason with a NUL in it', async () => {
    await bench.log.submit('task');
    await bench.log.cancel('task', 'cancellation', { reason: 'a\0b\uE0000' });
    const views = await bench.started();
    const { items } = await wholeCancellations(views, operator);
    expect(items.map(({ reason }) => reason)).toEqual(['a\0b\uE0000']);
  });

  it('find and order by the instant of a filter to the millisecond', async () => {
    for (const taskId of ['one', 'two', 'three']) {
      await bench.log.submit(taskId);
      bench.clock.advance(1);
    }
    const views = await bench.started();
    const statusAfter = '2026-01-01T01:00:00.001+01:00';
    const { items } = await views.reader.listRows(operator, { ...all, filter: { statusAfter } });
    expect(items.map(({ taskId }) => taskId)).toEqual(['three', 'two']);
  });
});
