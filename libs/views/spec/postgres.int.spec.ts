import { silentLogger } from '#application';
import { foldVersion } from '#domain';
import { MemoryEventStore, type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import {
  openPostgresStorage,
  StorageSettingError,
  StorageUnavailableError,
  ViewsUnavailableError,
} from '../src/index.js';
import { PostgresViewStorage, type RowBatch, type ViewDatabase } from '../src/store/index.js';
import { all, operator, ViewBench, wholeList } from './view-bench.js';
import { postgresPlace } from './view-places.js';
import { Wire } from './wire.js';

const begun = { logId: 'abcd1234', foldVersion, startedAt: '2026-01-01T00:00:00.000Z' };

const nothing: Omit<RowBatch, 'seen' | 'position'> = {
  ...{ eventId: 'event', handled: 1, closedAt: 0, inserted: [], updated: [], messages: [], chunks: [] },
  ...{ replacements: [], commands: [], movedCommands: [], forgottenBelow: [], links: [], timers: [] },
  ...{ endedTimers: [], cancellations: [], cancellationMoves: [], setAside: [], adopted: [] },
};

const positionOf = (number: number): string => String(number).padStart(20, '0');

const batch = (seen: string, number: number): RowBatch => ({
  ...nothing,
  seen,
  position: positionOf(number),
});

describe('Views in PostgreSQL', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let namespaces = 0;
  let namespace: string;
  let opened: PostgresViewStorage[];
  beforeAll(async () => {
    postgres = await usePostgres();
    database = await postgres.database();
  }, 60_000);
  beforeEach(() => {
    namespace = `views${String((namespaces += 1))}`;
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
  });
  afterAll(async () => {
    await database.drop();
    await postgres.stop();
  });

  const open = (): PostgresViewStorage => {
    const storage = new PostgresViewStorage({ url: database.url, namespace, logger: silentLogger });
    opened.push(storage);
    return storage;
  };

  /** Filled with nothing, and serving. */
  const serve = async (storage: PostgresViewStorage): Promise<ViewDatabase> => {
    const next = await storage.createNext(begun);
    for (const step of next.completion()) await step();
    let served: ViewDatabase | undefined;
    await storage.swap(await storage.openLive(), next, (database) => (served = database));
    if (served === undefined) throw new Error('nothing serves');
    return served;
  };

  it('are moved on by one of two writers that stand at the same position, and read by both', async () => {
    const first = await serve(open());
    const second = await open().openLive();

    const written = await Promise.all([first.write(batch('', 1)), second?.write(batch('', 2))]);

    expect([...written].sort()).toEqual([false, true]);
    expect(await second?.mark()).toEqual(await first.mark());
  });

  it('take nothing from one who opened the tables that served before, though they stand at the same position', async () => {
    const [one, other] = [open(), open()];
    const before = await serve(one);
    const after = await serve(other);

    expect(await before.write(batch('', 1))).toBe(false);
    expect(await after.write(batch('', 1))).toBe(true);
    expect((await before.mark()).generation).toBe((await after.mark()).generation);
  });

  it('take nothing from a filling that another one has replaced, and do not let it serve', async () => {
    const [one, other] = [open(), open()];
    const replaced = await one.createNext(begun);
    const next = await other.createNext(begun);

    expect(await replaced.write(batch('', 1))).toBe(false);
    await expect(replaced.completion()[0]?.()).rejects.toBeInstanceOf(ViewsUnavailableError);
    for (const step of next.completion()) await step();
    await other.swap(undefined, next, () => undefined);
    expect(await replaced.write(batch('', 1))).toBe(false);
    const serve = (): void => {
      throw new Error('it serves');
    };
    await expect(one.swap(undefined, replaced, serve)).rejects.toBeInstanceOf(ViewsUnavailableError);
  });

  it('are not complete where another one wrote while they were completed', async () => {
    const next = await open().createNext(begun);
    const other = await open().openNext();
    const steps = next.completion();
    for (const step of steps.slice(0, -1)) await step();
    expect(await other?.write(batch('', 1))).toBe(true);
    await expect(steps.at(-1)?.()).rejects.toBeInstanceOf(ViewsUnavailableError);
    expect((await next.mark()).building).toBe(true);
    for (const step of next.completion()) await step();
    expect((await next.mark()).building).toBe(false);
  });

  it('are not away where there are none yet', async () => {
    const storage = open();
    expect(await storage.openLive()).toBeUndefined();
    expect(await storage.shared.takeRebuildRequest()).toBe(false);
    expect(storage.health()).toEqual({ reachable: true });
  });

  it('are closed though the database has fallen silent', async () => {
    const wire = new Wire();
    const url = await wire.to(database.url);
    const storage = new PostgresViewStorage({ url, namespace, logger: silentLogger });
    const listening = new Promise<void>((resolve) => storage.shared.onChange(resolve));
    await listening;
    await storage.openLive();
    wire.fallSilent();
    await storage.close();
    wire.close();
  });

  it('tell every instance of a write, of a swap and of an asking, which one alone takes up', async () => {
    const [leader, follower] = [open(), open()];
    const served = await serve(leader);
    let told = (): void => undefined;
    const next = (): Promise<void> => new Promise((resolve) => (told = resolve));
    const listening = next();
    follower.shared.onChange(() => told());
    await listening;
    for (const act of [
      () => served.write(batch('', 1)),
      () => serve(leader),
      () => follower.shared.askForRebuild(),
    ]) {
      const hearing = next();
      await act();
      await hearing;
    }

    expect(await leader.shared.takeRebuildRequest()).toBe(true);
    expect(await follower.shared.takeRebuildRequest()).toBe(false);
  });

  it('C40 show whole lists to readers of every instance while tables are exchanged', async () => {
    const bench = await ViewBench.create(new MemoryEventStore(), postgresPlace(database, namespace));
    for (let index = 0; index < 20; index += 1) await bench.log.submit(`t${String(index)}`, { text: 'x' });
    const views = await bench.started();
    const follower = await open().openLive();
    let isOver = false;
    const sizes = new Set<string>();
    const read = async (): Promise<void> => {
      while (!isOver) {
        const query = { scope: { tenant: 'acme' }, filter: {}, size: 100 } as const;
        const page = await follower?.page({ ...query, document: { messages: 10, artifacts: true } });
        sizes.add([page?.total, page?.items.length, page?.items[0]?.document.messages.length].join());
      }
    };
    const reading = [read(), read()];
    for (let round = 0; round < 3; round += 1) {
      await views.reader.rebuild('tasks');
      await bench.rebuilt(views);
    }
    isOver = true;
    await Promise.all(reading);

    expect([...sizes]).toEqual(['20,20,1']);
    await bench.close();
  });

  it('C15 go on with a list on another instance, and refuse one of tables that were replaced', async () => {
    const bench = await ViewBench.create(new MemoryEventStore(), postgresPlace(database, namespace));
    for (const taskId of ['one', 'two', 'three']) await bench.log.submit(taskId);
    const [first, second] = [await bench.started(), await bench.started()];
    await bench.log.say('one', 'more');
    await bench.inStep(first);
    await bench.inStep(second);
    const { nextPageToken: pageToken } = await first.reader.listRows(operator, { ...all, pageSize: 1 });

    const rest = await wholeList(second, operator, { ...all, pageToken });
    expect(rest.tasks).toHaveLength(2);

    await bench.log.say('one', 'still more');
    await first.reader.rebuild('tasks');
    await bench.rebuilt(first);
    await expect(first.reader.listRows(operator, { ...all, pageToken })).rejects.toMatchObject({
      detail: { field: 'pageToken' },
    });
    await bench.close();
  });

  it('are unavailable, and nothing worse, when the database goes away, and come back with it', async () => {
    const own = await postgres.database();
    const storage = new PostgresViewStorage({ url: own.url, namespace, logger: silentLogger });
    opened.push(storage);
    const served = await serve(storage);
    await own.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    const away = async (): Promise<unknown> => {
      try {
        await served.page({ scope: { tenant: 'acme' }, filter: {}, size: 1, document: 'result' });
        return undefined;
      } catch (error) {
        return error;
      }
    };
    const met = await away();
    if (met !== undefined) expect(met).toBeInstanceOf(ViewsUnavailableError);
    expect((await served.mark()).position).toBe('');
    await own.drop();

    expect(await away()).toMatchObject({ code: 'unavailable' });
    await expect(served.write(batch('', 1))).rejects.toBeInstanceOf(ViewsUnavailableError);
    expect(storage.health()).toMatchObject({ reachable: false });
  });

  describe('are opened', () => {
    const opening = (url: string): Promise<unknown> => openPostgresStorage({ url, namespace: 'opened' });

    it('with a state beside them, under a name that holds no password', async () => {
      const url = database.url.replace('ledger@', 'ledger:secret@');
      const storage = await openPostgresStorage({ url, namespace });
      expect(storage.name).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/test_/);
      expect(storage.health()).toEqual({ reachable: true });
      await storage.close();
    });

    it.each<[string, (url: string) => string]>([
      ['no such database', (url) => `${url}_not`],
      ['TLS that the server does not speak', (url) => `${url}?sslmode=require`],
      ['not a URL', () => 'postgres://ledger:secret@127.0.0.1:port/x'],
    ])('or refused for good: %s', async (_what, change) => {
      const refused = opening(change(database.url.replace('ledger@', 'ledger:secret@')));
      await expect(refused).rejects.toBeInstanceOf(StorageSettingError);
      await expect(refused).rejects.not.toThrow(/secret|\n/);
    });

    it('or not yet: nobody listens there', async () => {
      const refused = opening('postgres://ledger:secret@127.0.0.1:1/ledger');
      await expect(refused).rejects.toBeInstanceOf(StorageUnavailableError);
      await expect(refused).rejects.not.toThrow(/secret/);
    });

    it('but not where texts are kept in another encoding', async () => {
      await database.query(
        `create database latin template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`,
      );
      const place = new URL(database.url);
      place.pathname = '/latin';
      await expect(opening(place.toString())).rejects.toThrow(/encoded in LATIN1/);
      await database.query('drop database latin with (force)');
    });
  });
});
