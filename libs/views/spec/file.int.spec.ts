import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryEventStore } from '#testing';
import { all, dump, operator, ViewBench, wholeList } from './view-bench.js';
import { sqlitePlace } from './view-places.js';

describe('A view in a file', () => {
  let folder: string;
  let file: string;
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'views-'));
    file = join(folder, 'views.db');
    bench = await ViewBench.create(new MemoryEventStore(), sqlitePlace(file));
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('C40 serves, and stays in step, when the file of a rebuilt one cannot take its place, and is tried again', async () => {
    await bench.log.submit('one');
    const views = await bench.started();
    const [next, aside] = [`${file}.next`, join(folder, 'aside')];
    bench.store.faults.hold();
    await views.reader.rebuild('tasks');
    renameSync(next, aside);
    bench.store.faults.release();
    await bench.log.submit('two');
    await bench.inStep(views);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    await bench.log.submit('three');
    await bench.inStep(views);

    expect((await wholeList(views, operator)).tasks.map(({ taskId }) => taskId)).toEqual([
      'one',
      'three',
      'two',
    ]);
    expect((await views.reader.status())[0]?.rebuild).toBeDefined();

    renameSync(aside, next);
    await bench.rebuilt(views);
    await bench.log.submit('four');
    await bench.inStep(views);
    expect((await views.reader.listRows(operator, all)).totalSize).toBe(4);
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
    const before = await dump(views);
    await views.close();
    expect(readdirSync(folder)).toEqual(['views.db']);
    expect(await dump(await bench.started())).toEqual(before);
  });

  it('C15 refuses, never answers short, a list that knows a moment which the view has lost', async () => {
    for (const taskId of ['one', 'two', 'three', 'four', 'five']) await bench.log.submit(taskId);
    await (await bench.started()).close();
    copyFileSync(file, `${file}.kept`);
    const before = await bench.started();
    await bench.log.submit('task-9999');
    await bench.inStep(before);
    const { nextPageToken: pageToken } = await before.reader.listRows(operator, { ...all, pageSize: 1 });
    await before.close();
    copyFileSync(`${file}.kept`, file);
    await bench.log.say('task-9999', 'more');

    const after = await bench.started();

    await expect(after.reader.listRows(operator, { ...all, pageToken })).rejects.toMatchObject({
      code: 'invalid-request',
      detail: { field: 'pageToken' },
    });
  });
});
