import { positionsOf } from '#application';
import type { EventStore, SubscribeOptions, SubscriptionMessage } from '#event-store';
import { MemoryEventStore, StoreInFront, type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { openPostgresStorage, openViews, type Views, ViewsUnavailableError } from '../src/index.js';
import type { ViewDatabase, ViewMark, ViewStorage } from '../src/store/index.js';
import { namespace } from './log-writer.js';
import { StorageInFront } from './storage-in-front.js';
import { operator, ViewBench, wholeList } from './view-bench.js';
import { memoryPlace, type OpenPlace, postgresPlace } from './view-places.js';

const openOver = (bench: ViewBench<EventStore>, storage: ViewStorage): Promise<Views> => {
  const { store, logId, clock } = bench;
  return openViews({ storage, store, namespace, logId, clock, positions: positionsOf(logId) });
};

const listed = async (views: Views): Promise<readonly string[]> =>
  (await wholeList(views, operator)).tasks.map(({ taskId }) => taskId);

describe('The first filling of views', () => {
  it('is begun again where its tables could not be looked at, and nobody is left with the error', async () => {
    class AwayOnce extends StorageInFront {
      fails = 1;

      override async createNext(...begun: Parameters<ViewStorage['createNext']>): Promise<ViewDatabase> {
        const next = await super.createNext(...begun);
        const mark = (): Promise<ViewMark> => {
          if (this.fails === 0) return next.mark();
          this.fails -= 1;
          return Promise.reject(new ViewsUnavailableError(new Error('no connection')));
        };
        return new Proxy(next, {
          get: (target, name) => {
            if (name === 'mark') return mark;
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === 'function' ? (member.bind(target) as unknown) : member;
          },
        });
      }
    }
    const bench = await ViewBench.create(new MemoryEventStore());
    await bench.log.submit('one');
    const views = await openOver(bench, new AwayOnce(memoryPlace().open().storage));
    views.start();
    await bench.inStep(views);
    expect(await listed(views)).toEqual(['one']);
    await views.close();
    await bench.close();
  });

  it('serves once all is there that was known when it began, though "live" was told before that', async () => {
    class LiveEarly extends StoreInFront {
      override async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
        yield { kind: 'live' };
        for await (const message of super.subscribe(options)) if (message.kind === 'events') yield message;
      }
    }
    const bench = await ViewBench.create(new LiveEarly(new MemoryEventStore()));
    await bench.log.submit('one');
    const views = await bench.open();
    views.noteAppended(bench.log.position);
    views.start();
    await bench.inStep(views);
    expect(await listed(views)).toEqual(['one']);
    await bench.close();
  });
});

describe('Views of several instances in one PostgreSQL that begin', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let bench: ViewBench<EventStore>;
  let places = 0;
  let opened: OpenPlace[];
  beforeAll(async () => {
    postgres = await usePostgres();
    database = await postgres.database();
  }, 60_000);
  beforeEach(async () => {
    places += 1;
    opened = [];
    bench = await ViewBench.create(new MemoryEventStore(), postgresPlace(database, `begun${String(places)}`));
  });
  afterEach(async () => {
    await bench.close();
    for (const place of opened) await place.close();
  });
  afterAll(async () => {
    await database.drop();
    await postgres.stop();
  });

  const storage = (): ViewStorage => {
    const place = bench.place.open();
    opened.push(place);
    return place.storage;
  };

  it('at the same moment on an empty database: all serve, whoever leads', async () => {
    const { store, logId, clock } = bench;
    const begin = async () => {
      const { views, leadership, ...rest } = await openPostgresStorage({
        url: database.url,
        namespace: 'together',
      });
      const parts = { storage: views, leadership, store, namespace, logId, clock };
      const serving = await openViews({ ...parts, positions: positionsOf(logId) });
      serving.start();
      return { views: serving, storage: rest };
    };
    const all = await Promise.all([begin(), begin(), begin()]);
    await bench.log.submit('one');
    for (const { views } of all) {
      await bench.inStep(views);
      expect(await listed(views)).toEqual(['one']);
    }
    await Promise.all(all.map(({ views }) => views.close()));
    await Promise.all(all.map((each) => each.storage.close()));
  });

  it('while others exchange the tables: they are not taken for those that were opened', async () => {
    const first = await bench.started();
    await bench.log.submit('one');
    await bench.inStep(first);
    class ExchangedMeanwhile extends StorageInFront {
      #isExchanged = false;

      override async openLive(): Promise<ViewDatabase | undefined> {
        const live = await super.openLive();
        if (this.#isExchanged) return live;
        this.#isExchanged = true;
        await first.reader.rebuild('tasks');
        await bench.rebuilt(first);
        await first.close();
        return live;
      }
    }
    const views = await openOver(bench, new ExchangedMeanwhile(storage()));
    views.start();
    await bench.log.submit('two');
    await bench.inStep(views);
    expect([...(await listed(views))].sort()).toEqual(['one', 'two']);
    await views.close();
  });

  it('a filling that another instance asked for, and cannot yet: it stays asked for', async () => {
    class NoRoomOnce extends StorageInFront {
      hasNoRoom = false;

      override createNext(...begun: Parameters<ViewStorage['createNext']>): Promise<ViewDatabase> {
        if (!this.hasNoRoom) return super.createNext(...begun);
        this.hasNoRoom = false;
        return Promise.reject(new ViewsUnavailableError(new Error('no room')));
      }
    }
    const place = new NoRoomOnce(storage());
    const views = await openOver(bench, place);
    views.start();
    await bench.inStep(views);
    const before = (await place.openLive())?.generation;
    place.hasNoRoom = true;
    await place.shared?.askForRebuild();
    while ((await place.openLive())?.generation === before) await new Promise((wait) => setTimeout(wait, 10));
    expect(place.hasNoRoom).toBe(false);
    await views.close();
  });

  it('go on with the tables that were exchanged though the answer was lost', async () => {
    class AnswerLost extends StorageInFront {
      override async swap(...[live, next]: Parameters<ViewStorage['swap']>): Promise<void> {
        await super.swap(live, next, () => undefined);
        throw new ViewsUnavailableError(new Error('connection terminated'));
      }
    }
    const views = await openOver(bench, new AnswerLost(storage()));
    views.start();
    await bench.log.submit('one');
    await bench.inStep(views);
    await bench.log.submit('two');
    await bench.inStep(views);
    expect([...(await listed(views))].sort()).toEqual(['one', 'two']);
    await views.close();
  });
});
