import { aloneLeadership, type Leadership, positionsOf } from '#application';
import { MemoryEventStore, type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { openViews, type Views } from '../src/index.js';
import { LogWriter, namespace } from './log-writer.js';
import { all, dump, manualClock, operator, ViewBench, wholeList } from './view-bench.js';
import { type OpenPlace, postgresPlace, type ViewPlace } from './view-places.js';

/** Leads when it is told to, and not before: who leads is the test's to say. */
class ToldLeadership implements Leadership {
  readonly #alone = aloneLeadership();
  #stand: () => void = () => undefined;
  #candidacy: ReturnType<Leadership['stand']> | undefined;

  lead(): void {
    this.#stand();
  }

  async stop(): Promise<void> {
    await this.#candidacy?.close();
    this.#candidacy = undefined;
  }

  stand(...given: Parameters<Leadership['stand']>): ReturnType<Leadership['stand']> {
    this.#stand = () => {
      this.#candidacy ??= this.#alone.stand(...given);
    };
    const standing = () => this.#candidacy?.standing ?? 'standing-by';
    return {
      get standing() {
        return standing();
      },
      close: () => this.stop(),
    };
  }

  close(): Promise<void> {
    return this.#alone.close();
  }
}

interface Instance {
  readonly views: Views;
  readonly leadership: ToldLeadership;
}

describe('Views of several instances in one PostgreSQL', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let place: ViewPlace;
  let bench: ViewBench<MemoryEventStore>;
  let opened: { readonly views: Views; readonly place: OpenPlace }[];
  let places = 0;
  beforeAll(async () => {
    postgres = await usePostgres();
    database = await postgres.database();
  }, 60_000);
  beforeEach(async () => {
    places += 1;
    opened = [];
    place = postgresPlace(database, `instances${String(places)}`);
    bench = await ViewBench.create(new MemoryEventStore(), place);
  });
  afterEach(async () => {
    for (const { views, place: open } of opened) {
      await views.close();
      await open.close();
    }
    await bench.close();
  });
  afterAll(async () => {
    await database.drop();
    await postgres.stop();
  });

  const instance = async (projects = true): Promise<Instance> => {
    const { store, logId, clock } = bench;
    const leadership = new ToldLeadership();
    const open = place.open();
    const parts = { storage: open.storage, store, namespace, logId, clock, leadership, projects };
    const views = await openViews({ ...parts, positions: positionsOf(logId) });
    opened.push({ views, place: open });
    views.start();
    return { views, leadership };
  };
  const leader = async (): Promise<Instance> => {
    const leads = await instance();
    leads.leadership.lead();
    await bench.inStep(leads.views);
    return leads;
  };
  const ids = async ({ views }: Instance): Promise<readonly string[]> =>
    (await wholeList(views, operator)).tasks.map(({ taskId }) => taskId);

  it('one leads, the others serve what it writes, and wait for what they have heard of', async () => {
    const [leads, follows, never] = [await leader(), await instance(), await instance(false)];
    expect([leads, follows, never].map(({ views }) => views.standing)).toEqual([
      'leading',
      'standing-by',
      'standing-by',
    ]);
    for (let count = 0; count < 5; count += 1) {
      const taskId = `task-${String(count)}`;
      await bench.log.submit(taskId);
      for (const { views } of [follows, never]) {
        views.noteAppended(bench.log.position);
        const { items, stale } = await views.reader.listRows(operator, all);
        expect([items.length, stale]).toEqual([count + 1, false]);
        expect((await views.snapshots.load(taskId))?.task).toMatchObject({ taskId });
      }
    }
    expect(follows.views.ready).toBe(true);
    expect(await dump(follows.views)).toEqual(await dump(leads.views));
    expect((await follows.views.reader.status())[0]).toMatchObject({ lag: 0 });
    expect(await never.views.reader.verify('tasks')).toEqual({ checked: 5, mismatches: [] });
  });

  it('another one takes over where the leader stopped, and nothing is written twice', async () => {
    const [first, second] = [await leader(), await instance()];
    await bench.log.submit('one');
    await bench.inStep(second.views);
    await first.leadership.stop();
    expect(first.views.standing).toBe('standing-by');
    await bench.log.submit('two');
    second.leadership.lead();
    await bench.inStep(second.views);
    await bench.inStep(first.views);
    expect([...(await ids(first))].sort()).toEqual(['one', 'two']);
    expect((await first.views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('C38 two that lead at once write every event once', async () => {
    const [first, second] = [await leader(), await instance()];
    second.leadership.lead();
    for (let count = 0; count < 40; count += 1) {
      await bench.log.submit(`task-${String(count)}`, { text: 'hello' });
      if (count % 4 === 0) await new Promise(setImmediate);
    }
    await bench.inStep(first.views);
    await bench.inStep(second.views);
    expect(await dump(first.views)).toEqual(await dump(second.views));
    expect(await first.views.reader.verify('tasks')).toEqual({ checked: 40, mismatches: [] });
  });

  it('a token of one instance is good on another one, and after a rebuild for what the new tables can show', async () => {
    const [leads, follows] = [await leader(), await instance()];
    for (let count = 0; count < 5; count += 1) await bench.log.submit(`task-${String(count)}`);
    await bench.inStep(follows.views);
    const pages = { ...all, pageSize: 2 };
    const first = await leads.views.reader.listRows(operator, pages);
    await bench.log.submit('later');
    const second = await follows.views.reader.listRows(operator, {
      ...pages,
      pageToken: first.nextPageToken,
    });
    const third = await leads.views.reader.listRows(operator, { ...pages, pageToken: second.nextPageToken });
    const listed = [first, second, third].flatMap(({ items }) => items.map(({ taskId }) => taskId));
    expect(new Set(listed).size).toBe(5);
    expect(third).toMatchObject({ nextPageToken: '', totalSize: 5, position: first.position });
  });

  it('C40 a rebuild that is asked of any instance is done by the one that leads, and all serve what comes of it', async () => {
    const [leads, follows] = [await leader(), await instance()];
    for (let count = 0; count < 20; count += 1) await bench.log.submit(`task-${String(count)}`);
    await bench.inStep(follows.views);
    const { generation } = await markOf(place);
    await follows.views.reader.rebuild('tasks');
    while ((await markOf(place)).generation === generation) await new Promise((wait) => setTimeout(wait, 10));
    await bench.log.submit('later');
    for (const { views } of [leads, follows]) {
      await bench.inStep(views);
      expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
    }
    expect(await dump(follows.views)).toEqual(await dump(leads.views));
    expect(await ids(follows)).toHaveLength(21);
  });

  it('a leader that was deposed in the middle of a rebuild leaves it to the next one', async () => {
    const [first, second] = [await leader(), await instance()];
    for (let count = 0; count < 20; count += 1) await bench.log.submit(`task-${String(count)}`);
    await bench.inStep(first.views);
    const { generation } = await markOf(place);
    bench.store.faults.hold();
    await first.views.reader.rebuild('tasks');
    await first.leadership.stop();
    second.leadership.lead();
    bench.store.faults.release();
    while ((await markOf(place)).generation === generation) await new Promise((wait) => setTimeout(wait, 10));
    await bench.log.submit('later');
    for (const { views } of [first, second]) {
      await bench.inStep(views);
      expect((await views.reader.listRows(operator, all)).totalSize).toBe(21);
    }
  });

  it('an instance of another log serves nothing of these tables', async () => {
    await leader();
    await bench.log.submit('one');
    const store = new MemoryEventStore();
    const other = await ViewBench.over(store, manualClock(), place);
    const open = place.open();
    const parts = { storage: open.storage, store, namespace, logId: other.logId, clock: other.clock };
    const views = await openViews({ ...parts, positions: positionsOf(other.logId), projects: false });
    opened.push({ views, place: open });
    views.start();
    await new LogWriter(store).submit('other');
    await expect(views.reader.listRows(operator, all)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await views.snapshots.load('one')).toBeUndefined();
    await store.close();
  });
});

const markOf = async (place: ViewPlace): Promise<{ readonly generation: string }> => {
  const open = place.open();
  try {
    const live = await open.storage.openLive();
    return (await live?.mark()) ?? { generation: '' };
  } finally {
    await open.close();
  }
};
