import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryEventStore } from '#testing';
import { all, dump, operator, ViewBench } from './view-bench.js';
import { sqlitePlace } from './view-places.js';

const tasks = 10_000;
/** 200 writes a second. */
const writeIntervalMs = 5;

describe('A rebuild of 10,000 tasks', () => {
  let folder: string;
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'views-'));
    bench = await ViewBench.create(new MemoryEventStore(), sqlitePlace(join(folder, 'views.db')));
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const submit = async (index: number): Promise<void> => {
    const link = index % 7 === 0 ? ({ kind: 'run', id: '1' } as const) : undefined;
    bench.clock.advance(1);
    const taskId = `task-${String(index).padStart(6, '0')}`;
    await bench.log.submit(taskId, {
      text: 'begin',
      contextId: `c-${String(index % 97)}`,
      ...(link && { link }),
      ...(index % 33 === 1 && { parent: { taskId: `task-${String(index - 1).padStart(6, '0')}` } }),
    });
    if (index % 3 === 2) await bench.log.move(taskId, 'completed', 'done');
  };

  it('C40 under 200 writes a second ends as a fresh projection does, and only ever shows whole lists', async () => {
    for (let index = 0; index < tasks; index += 1) await submit(index);
    const views = await bench.started();
    await views.reader.rebuild('tasks');
    let written = tasks;
    let shown = tasks;
    while ((await views.reader.status())[0]?.rebuild !== undefined) {
      await submit(written);
      views.noteAppended(bench.log.position);
      written += 1;
      const { totalSize, stale } = await views.reader.listRows(operator, { ...all, pageSize: 1 });
      expect(totalSize).toBeGreaterThanOrEqual(stale ? shown : written);
      shown = totalSize;
      await delay(writeIntervalMs);
    }
    await bench.inStep(views);

    const fresh = await ViewBench.over(bench.store, bench.clock);
    const freshViews = await fresh.started();
    expect(written).toBeGreaterThan(tasks);
    expect(await dump(views)).toEqual(await dump(freshViews));
    await freshViews.close();
  }, 120_000);
});
