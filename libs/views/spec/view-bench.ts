import { openLog, positionsOf, systemClock, systemIds } from '#application';
import type { Caller, Task } from '#domain';
import type { EventStore, RecordedEvent } from '#event-store';
import {
  type CancellationListRequest,
  type ListedCancellation,
  type ListRequest,
  openViews,
  type ViewMetrics,
  type Views,
} from '../src/index.js';
import { LogWriter, namespace } from './log-writer.js';
import { memoryPlace, type OpenPlace, type ViewPlace } from './view-places.js';

export interface ManualClock {
  now(): number;
  advance(milliseconds: number): void;
}

export const manualClock = (start = '2026-01-01T00:00:00.000Z'): ManualClock => {
  let now = Date.parse(start);
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
};

export const operator: Caller = { tenant: 'acme', principal: 'olga', role: 'operator', via: 'ledger-api' };
export const user = (principal: string, tenant = 'acme'): Caller => ({
  tenant,
  principal,
  role: 'user',
  via: 'ledger-api',
});

/** A log, its writer, and views over it that a test opens, closes and opens again. */
export class ViewBench<Store extends EventStore> {
  readonly #opened: Views[] = [];
  readonly #places: OpenPlace[] = [];

  private constructor(
    readonly store: Store,
    readonly log: LogWriter,
    readonly logId: string,
    readonly clock: ManualClock,
    readonly place: ViewPlace,
  ) {}

  static create<Store extends EventStore>(store: Store, place = memoryPlace()): Promise<ViewBench<Store>> {
    return ViewBench.over(store, manualClock(), place);
  }

  static async over<Store extends EventStore>(
    store: Store,
    clock: ManualClock,
    place = memoryPlace(),
  ): Promise<ViewBench<Store>> {
    const logId = await openLog(store, namespace, systemIds, systemClock);
    return new ViewBench(store, new LogWriter(store, clock), logId, clock, place);
  }

  async open(metrics?: ViewMetrics): Promise<Views> {
    const { store, logId, clock } = this;
    const positions = positionsOf(logId);
    const place = this.place.open();
    this.#places.push(place);
    const views = await openViews({
      ...{ storage: place.storage, store, namespace, logId, positions, clock },
      ...(metrics && { metrics }),
    });
    this.#opened.push(views);
    return views;
  }

  /** Views that follow the log and have reached its end. */
  async started(): Promise<Views> {
    const views = await this.open();
    views.start();
    await this.inStep(views);
    return views;
  }

  /** Waits until the view has reached everything that was written. */
  async inStep(views: Views): Promise<void> {
    const waitFor = positionsOf(this.logId).toEdge(
      (await this.store.head(`${namespace}.`)) ?? '0'.repeat(20),
    );
    for (let turn = 0; ; turn += 1) {
      if (views.ready && !(await views.reader.listRows(operator, { ...all, waitFor })).stale) return;
      if (turn > 5_000) throw new Error('the view does not get into step');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Waits until no view is being filled. */
  async rebuilt(views: Views): Promise<void> {
    for (
      let turn = 0;
      (await views.reader.status()).some(({ rebuild }) => rebuild !== undefined);
      turn += 1
    ) {
      if (turn > 1_000) throw new Error('the rebuild does not end');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.inStep(views);
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((views) => views.close()));
    await Promise.all(this.#places.map((place) => place.close()));
    await this.store.close();
    await this.place.remove();
  }
}

export const all: ListRequest = { filter: {}, pageSize: 100 };

/** Everything that a list answers, page by page. */
export const wholeList = async (
  views: Views,
  caller: Caller,
  request: ListRequest = all,
): Promise<{
  readonly tasks: readonly Task[];
  readonly totals: readonly number[];
  readonly pages: number;
}> => {
  const tasks: Task[] = [];
  const totals: number[] = [];
  let pageToken = '';
  for (let page = 1; ; page += 1) {
    const answer = await views.reader.listTasks(caller, {
      ...request,
      ...(pageToken !== '' && { pageToken }),
      messages: 100,
      artifacts: true,
    });
    tasks.push(...answer.items.map(({ task }) => task));
    totals.push(answer.totalSize);
    pageToken = answer.nextPageToken;
    if (pageToken === '') return { tasks, totals, pages: page };
  }
};

/** Every cancellation that a list answers, page by page. */
export const wholeCancellations = async (
  views: Views,
  caller: Caller,
  request: CancellationListRequest = { filter: {}, pageSize: 100 },
): Promise<{ readonly items: readonly ListedCancellation[]; readonly totals: readonly number[] }> => {
  const items: ListedCancellation[] = [];
  const totals: number[] = [];
  for (let pageToken = request.pageToken ?? ''; ;) {
    const page = await views.reader.listCancellations(caller, { ...request, pageToken });
    items.push(...page.items);
    totals.push(page.totalSize);
    pageToken = page.nextPageToken;
    if (pageToken === '') return { items, totals };
  }
};

/** What every list of every filter shows, and the open timers. */
export const dump = async (views: Views): Promise<unknown> => {
  const filters = [
    {},
    { contextId: 'c-1' },
    { status: 'running' },
    { states: ['completed'] },
    { link: 'run:1' },
  ] as const;
  const lists = [];
  for (const filter of filters) {
    const { tasks, totals } = await wholeList(views, operator, { ...all, filter });
    const { items } = await views.reader.listRows(operator, { ...all, filter });
    lists.push({ filter, tasks, totals, items });
  }
  const cancellations = await wholeCancellations(views, operator);
  return { lists, cancellations, timers: await views.timers.due('9999-01-01T00:00:00.000Z', 1_000) };
};

/** Everything in a log, page by page. */
export const wholeLog = async (store: EventStore, prefix: string): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (;;) {
    const from = events.at(-1)?.position;
    const page = await store.readAll({ limit: 1_000, prefix, ...(from !== undefined && { from }) });
    events.push(...page.filter(({ position }) => from === undefined || position > from));
    if (page.length < 1_000) return events;
  }
};
