import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type EmbeddedStore, openEmbeddedStore } from '#event-store';
import { artifact, namespace } from './log-writer.js';
import { dump, ViewBench, wholeLog } from './view-bench.js';
import { sqlitePlace } from './view-places.js';

const fixture = fileURLToPath(new URL('./fixtures/filling-process.mjs', import.meta.url));
const tasks = 700;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'views-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const writeHistory = async (bench: ViewBench<EmbeddedStore>): Promise<void> => {
  const lives = Array.from({ length: tasks }, async (_, index) => {
    const taskId = `task-${String(index)}`;
    await bench.log.submit(taskId, { text: 'begin', contextId: `c-${String(index % 3)}` });
    await bench.log.move(taskId, 'working', 'on it');
    await bench.log.add(taskId, artifact('a', 'text'));
    await bench.log.move(taskId, 'completed', 'done');
  });
  await Promise.all(lives);
};

/** Fills the views in another process and kills it in the middle. Answers how many events it had written. */
const killedWhileFilling = async (file: string): Promise<number> => {
  const child = spawn(process.execPath, [fixture, folder, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = await lines.next();
  child.kill('SIGKILL');
  await gone;
  return Number(/^written (\d+)$/.exec(String(line.value))?.[1]);
};

describe('kill -9 while the views are filled', () => {
  it.each(['for the first time', 'beside the ones that serve'])(
    'C40 costs what was not written, and nothing else: %s',
    async (when) => {
      const file = join(folder, 'views.db');
      const first = await ViewBench.create(await openEmbeddedStore({ folder }), sqlitePlace(file));
      await writeHistory(first);
      if (when === 'beside the ones that serve') await first.started();
      await first.close();
      const written = await killedWhileFilling(file);

      const bench = await ViewBench.create(await openEmbeddedStore({ folder }), sqlitePlace(file));
      let rest = 0;
      const views = await bench.open({ projected: (events) => (rest += events) });
      views.start();
      await bench.inStep(views);
      await bench.rebuilt(views);

      const logged = await wholeLog(bench.store, `${namespace}.`);
      expect(written).toBeGreaterThan(0);
      expect(rest).toBe(logged.length - written);
      expect(await views.reader.verify('tasks')).toEqual({ checked: tasks, mismatches: [] });
      const fresh = await ViewBench.over(bench.store, bench.clock);
      const freshViews = await fresh.started();
      expect(await dump(views)).toEqual(await dump(freshViews));
      await freshViews.close();
      await bench.close();
    },
    60_000,
  );
});
