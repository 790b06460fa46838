import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { MemoryEventStore } from '#testing';
import { streamNames } from '#application';
import { DomainError } from '#domain';
import type { Views } from '../src/index.js';
import { versionLifeMs } from '../src/projection/projection.js';
import { artifact, namespace } from './log-writer.js';
import { all, dump, operator, ViewBench, wholeList, wholeLog } from './view-bench.js';
import { fileInFolder, overEveryPlace } from './view-places.js';

/** Waits until something holds that will. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; !(await holds()); turn += 1) {
    if (turn > 5_000) throw new Error('it never holds');
    await delay(1);
  }
};

/** What a list shows; nothing while it is unavailable. */
const idsIn = async (views: Views): Promise<readonly string[]> => {
  try {
    return (await wholeList(views, operator)).tasks.map(({ taskId }) => taskId);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unavailable') return [];
    throw error;
  }
};

overEveryPlace(
  'Views that are kept',
  (place) => {
    let bench: ViewBench<MemoryEventStore>;
    beforeEach(async () => {
      bench = await ViewBench.create(new MemoryEventStore(), place());
    });
    afterEach(() => bench.close());

    const writeHistory = async (from: number, tasks: number): Promise<void> => {
      for (let index = from; index < from + tasks; index += 1) {
        const taskId = `task-${String(index).padStart(4, '0')}`;
        const link = index % 7 === 0 ? ({ kind: 'run', id: '1' } as const) : undefined;
        bench.clock.advance(10);
        await bench.log.submit(taskId, {
          text: 'begin',
          contextId: `c-${String(index % 3)}`,
          ...(link && { link }),
          ...(index > from &&
            index % 5 === 0 && { parent: { taskId: `task-${String(from).padStart(4, '0')}` } }),
        });
        await bench.log.move(taskId, 'working', 'on it');
        await bench.log.add(taskId, artifact('a', 'text'));
        if (index % 2 === 1) await bench.log.move(taskId, 'completed', 'done');
        else if (index % 6 === 2) await bench.log.cancel(taskId, `cancellation-${taskId}`, asked);
      }
    };

    const asked = { mode: 'cooperative', graceMs: 60_000 } as const;

    const freshDump = async (): Promise<unknown> => {
      const fresh = await ViewBench.over(bench.store, bench.clock);
      const views = await fresh.started();
      const dumped = await dump(views);
      await views.close();
      return dumped;
    };

    it('go on where they stood after a restart', async () => {
      await writeHistory(0, 20);
      await (await bench.started()).close();
      await writeHistory(20, 5);

      const views = await bench.started();

      expect(await dump(views)).toEqual(await freshDump());
      expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
    });

    it('C40 show after a rebuild under writes what a fresh projection shows, however often it is repeated', async () => {
      await writeHistory(0, 100);
      const views = await bench.started();
      for (const round of [1, 2, 3]) {
        await views.reader.rebuild('tasks');
        await writeHistory(100 * round, 10);
        await bench.rebuilt(views);

        expect(await dump(views)).toEqual(await freshDump());
      }
      expect(await views.reader.verify('tasks')).toEqual({ checked: 130, mismatches: [] });
    });

    it('C40 go on serving whole lists while they are rebuilt', async () => {
      await writeHistory(0, 200);
      const views = await bench.started();

      await views.reader.rebuild('tasks');
      const sizes = new Set<number>();
      while ((await views.reader.status())[0]?.rebuild !== undefined) {
        sizes.add((await views.reader.listRows(operator, all)).totalSize);
        await nextTurn();
      }

      expect([...sizes]).toEqual([200]);
    });

    it('C40 go on with a rebuild that was cut', async () => {
      await writeHistory(0, 30);
      const views = await bench.started();
      bench.store.faults.hold();
      await views.reader.rebuild('tasks');
      await views.close();
      bench.store.faults.release();
      await writeHistory(30, 5);

      const again = await bench.started();
      await bench.rebuilt(again);

      expect(await dump(again)).toEqual(await freshDump());
    });

    it('C40 go on in the middle with a rebuild that was cut there', async () => {
      await writeHistory(0, 400);
      await (await bench.started()).close();
      const written: number[] = [];
      const cut = await bench.open({
        projected: (events) => {
          written.push(events);
          bench.store.faults.hold();
        },
      });
      cut.start();
      await cut.reader.rebuild('tasks');
      while (written.length === 0) await nextTurn();
      await cut.close();
      bench.store.faults.release();

      let rest = 0;
      const again = await bench.open({ projected: (events) => (rest += events) });
      again.start();
      await until(() => rest > 0);
      await bench.rebuilt(again);

      const logged = await wholeLog(bench.store, '');
      expect(written).toHaveLength(1);
      expect(rest).toBe(logged.length - (written[0] ?? 0));
      expect(rest).toBeGreaterThan(0);
      expect(await dump(again)).toEqual(await freshDump());
      expect((await again.reader.verify('tasks')).mismatches).toEqual([]);
    });

    it('C15 go on with a list that began before a restart, or before a rebuild of a log at rest', async () => {
      await writeHistory(0, 5);
      const first = await bench.started();
      const { nextPageToken: pageToken } = await first.reader.listRows(operator, { ...all, pageSize: 1 });
      await first.close();
      await bench.log.say('task-0000', 'more');

      const second = await bench.started();
      expect((await second.reader.listRows(operator, { ...all, pageToken })).items).toHaveLength(4);

      const now = await second.reader.listRows(operator, { ...all, pageSize: 1 });
      await second.reader.rebuild('tasks');
      await bench.rebuilt(second);
      const rest = await second.reader.listRows(operator, { ...all, pageToken: now.nextPageToken });
      expect(rest.items).toHaveLength(4);
    });

    it('C40 answer unavailable, never part of the log, until they are filled for the first time', async () => {
      await writeHistory(0, 10);
      bench.store.faults.hold();
      const views = await bench.open();
      views.start();

      await expect(views.reader.listRows(operator, all)).rejects.toMatchObject({ code: 'unavailable' });
      expect(views.ready).toBe(false);

      bench.store.faults.release();
      await bench.inStep(views);
      expect((await views.reader.listRows(operator, all)).totalSize).toBe(10);
    });

    it('are filled anew when the log behind them is another one', async () => {
      await writeHistory(0, 10);
      await (await bench.started()).close();
      const other = await ViewBench.over(new MemoryEventStore(), bench.clock, bench.place);
      await other.log.submit('elsewhere');

      const views = await other.started();

      expect((await wholeList(views, operator)).tasks.map(({ taskId }) => taskId)).toEqual(['elsewhere']);
      await other.close();
    });

    it('are filled anew when the log was put back to an earlier state under the same id', async () => {
      await writeHistory(0, 10);
      await (await bench.started()).close();
      const restored = new MemoryEventStore();
      const names = streamNames(namespace);
      const [opened] = await bench.store.readStream(names.log, { limit: 1 });
      if (opened === undefined) throw new Error('the log has no beginning');
      await restored.append(names.log, [opened], 'none');
      const other = await ViewBench.over(restored, bench.clock, bench.place);
      await other.log.submit('kept');

      const views = await other.open();
      views.start();
      // Tables that others serve from as well serve until their log has been looked at.
      await until(async () => (await idsIn(views)).join() === 'kept');

      await other.close();
    });

    it('C42 append nothing when they are rebuilt', async () => {
      await writeHistory(0, 20);
      const views = await bench.started();
      const head = await bench.store.head('');

      await views.reader.rebuild('tasks');
      await bench.rebuilt(views);

      expect(await bench.store.head('')).toBe(head);
    });

    it('refuse a page token that is older than the versions that are kept', async () => {
      await writeHistory(0, 5);
      const views = await bench.started();
      const { nextPageToken: pageToken } = await views.reader.listRows(operator, { ...all, pageSize: 1 });
      await bench.log.say('task-0000', 'more');
      await bench.inStep(views);
      expect((await views.reader.listRows(operator, { ...all, pageToken })).items).toHaveLength(4);

      bench.clock.advance(versionLifeMs + 1);
      await bench.log.say('task-0000', 'even more');
      await bench.inStep(views);

      const refusal = (): Promise<unknown> =>
        views.reader.listRows(operator, { ...all, pageToken }).then(
          () => undefined,
          (error: unknown) => error,
        );
      // What is older is taken away after the batch, which is seen before.
      await until(async () => (await refusal()) !== undefined);
      expect(await refusal()).toMatchObject({ code: 'invalid-request', detail: { field: 'pageToken' } });
    });

    it('name the task, field and revisions where the view does not agree with the log', async () => {
      await bench.log.submit('forged');
      await bench.log.submit('honest');
      await (await bench.started()).close();
      await bench.place.change(
        (tables) =>
          `update ${tables}.tasks set fold = replace(fold, '"submitted"', '"working"') where task_id = 'forged'`,
      );

      const views = await bench.started();

      const { mismatches } = await views.reader.verify('tasks');
      expect(mismatches.map(({ taskId, field }) => [taskId, field])).toContainEqual(['forged', 'state']);
      expect(mismatches.every(({ taskId }) => taskId === 'forged')).toBe(true);
    });
  },
  fileInFolder,
);
