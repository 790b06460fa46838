import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryEventStore } from '#testing';
import { all, dump, operator, ViewBench, wholeList } from './view-bench.js';

describe('The swap of a rebuilt view', () => {
  let folder: string;
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'views-'));
    bench = await ViewBench.create(new MemoryEventStore(), join(folder, 'views.db'));
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('C40 leaves the old view serving and in step when the file cannot take its place, and is tried again', async () => {
    await bench.log.submit('one');
    const views = await bench.started();
    const [next, aside] = [`${bench.file}.next`, join(folder, 'aside')];
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
});
