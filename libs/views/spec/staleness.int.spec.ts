import { positionsOf, silentLogger } from '#application';
import { foldVersion, type Task } from '#domain';
import {
  LogChangedError,
  type ReadAllOptions,
  type RecordedEvent,
  type StoreHealth,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '#event-store';
import { MemoryEventStore, StoreInFront } from '#testing';
import { ServingView } from '../src/keeping/serving-view.js';
import { Freshness } from '../src/lists/freshness.js';
import { Lists } from '../src/lists/lists.js';
import { SqliteViewStorage, type ViewDatabase, ViewsUnavailableError } from '../src/store/index.js';
import { ViewSnapshots } from '../src/view-snapshots.js';
import { namespace } from './log-writer.js';
import { all, operator, ViewBench } from './view-bench.js';

describe('A list while what follows the log may be behind it', () => {
  /** A store whose subscriptions are lost, or silent, when it says so. */
  class LosesSubscriptions extends StoreInFront {
    lost: string | undefined;

    override health(): StoreHealth {
      const health = super.health();
      return this.lost === undefined ? health : { ...health, behind: this.lost };
    }
  }

  it('says that it is stale, at once, and no longer when all is in order again', async () => {
    const store = new LosesSubscriptions(new MemoryEventStore());
    const bench = await ViewBench.create(store);
    await bench.log.submit('one');
    const views = await bench.started();
    store.lost = 'a subscription has brought nothing for 4 s';
    expect(await views.reader.listRows(operator, all)).toMatchObject({ stale: true, totalSize: 1 });
    const tree = { depth: 1, limit: 10 };
    expect(await views.reader.tree(operator, 'one', tree)).toMatchObject({ stale: true });
    store.lost = undefined;
    expect(await views.reader.listRows(operator, all)).toMatchObject({ stale: false });
    await bench.close();
  });

  it('says that it is stale where other tables took the place of those that it waited for, and stand before them', async () => {
    const bench = await ViewBench.create(new MemoryEventStore());
    const { store, logId } = bench;
    const positions = positionsOf(logId);
    const next = await new SqliteViewStorage(':memory:').createNext({ logId, foldVersion, startedAt: '' });
    const serving = new ServingView();
    serving.serve(next, '');
    const freshness = new Freshness({ serving, store, namespace, positions });
    const lists = new Lists({ serving, freshness, positions, logId });
    expect(await lists.rows(operator, all)).toMatchObject({ stale: false });
    serving.advanced((await store.head('')) ?? '');
    expect(await lists.rows(operator, all)).toMatchObject({ stale: true });
    await bench.close();
  });

  it('C38 waits for a position that the log cannot be asked about, and says that it is stale', async () => {
    const store = new MemoryEventStore();
    const bench = await ViewBench.create(store);
    const views = await bench.started();
    await bench.log.submit('known');
    await bench.inStep(views);
    store.faults.hold();
    await bench.log.submit('unknown');
    const waitFor = positionsOf(bench.logId).toEdge(bench.log.position);
    store.faults.unavailable = true;
    expect(await views.reader.listRows(operator, { ...all, waitFor })).toMatchObject({ stale: true });
    expect(await views.reader.status()).toMatchObject([{ name: 'tasks' }]);
    store.faults.unavailable = false;
    store.faults.release();
    await bench.inStep(views);
    await bench.close();
  }, 10_000);

  it('C40 an exchanged log is noticed where its subscription finds another event: the view is filled anew', async () => {
    class Exchanges extends StoreInFront {
      isExchanged = false;
      #isTold = false;

      override async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
        for await (const message of super.subscribe(options)) {
          if (this.isExchanged && !this.#isTold) {
            this.#isTold = true;
            throw new LogChangedError('another event stands here');
          }
          yield message;
        }
      }

      override async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
        const events = await super.readAll(options);
        return this.isExchanged && options.limit === 1
          ? events.map((event) => ({ ...event, id: 'other' }))
          : events;
      }
    }
    const store = new Exchanges(new MemoryEventStore());
    const bench = await ViewBench.create(store);
    await bench.log.submit('one');
    const views = await bench.started();
    const { pageSize } = all;
    store.isExchanged = true;
    await bench.log.submit('two');
    while ((await views.reader.status())[0]?.lag !== 0 || !views.ready)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await views.reader.listRows(operator, { filter: {}, pageSize })).totalSize).toBe(2);
    await bench.close();
  });
});

describe('Snapshots of a database that is away', () => {
  it('are none, so that tasks are read from the log, and are told again when it is back', async () => {
    let isAway = true;
    const task = { taskId: 'one' } as Task;
    const loadTask = (): Promise<Task> =>
      isAway ? Promise.reject(new ViewsUnavailableError(new Error('refused'))) : Promise.resolve(task);
    const serving = new ServingView();
    serving.serve({ loadTask } as Partial<ViewDatabase> as ViewDatabase, '');
    const snapshots = new ViewSnapshots(serving, silentLogger);
    expect(await snapshots.load('one')).toBeUndefined();
    isAway = false;
    expect(await snapshots.load('one')).toMatchObject({ task });
  });
});
