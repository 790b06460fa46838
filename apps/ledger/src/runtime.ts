import {
  openLedger,
  positionsOf,
  systemClock,
  systemIds,
  type Consumer,
  type Ledger,
  type Standing,
} from '#application';
import type { EventStore } from '#event-store';
import { openViews, type Storage, type StorageHealth, type Views } from '#views';
import type { Metrics } from './observe/metrics.js';
import type { SagaReading } from './observe/readings.js';
import type { Starting } from './start/starting.js';
import { openEvents, type Events } from './stores/events.js';
import type { Setting } from './stores/setting.js';
import { openStorage } from './stores/storage.js';
import { Sweeping } from './sweeping.js';

/** Everything behind the surfaces: the log, the views, the commands, and what carries cancellations on. */
export interface Runtime {
  readonly store: EventStore;
  readonly views: Views;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  /** How far the saga has come; undefined where it is led by another instance. */
  sagaReading(): Promise<SagaReading | undefined>;
  /** Whether views and state can be reached. */
  storageHealth(): StorageHealth;
  /** Of every consumer that this instance stands for. */
  standings(): Readonly<Partial<Record<Consumer, Standing>>>;
  /** For people, in the line that says the service is ready. */
  readonly eventsName: string;
  readonly viewsName: string;
}

/** Both are waited for at once; where one can never come, the other is waited for no longer. */
const openServers = async (setting: Setting): Promise<{ events: Events; storage: Storage }> => {
  const opening = [openEvents(setting), openStorage(setting)] as const;
  for (const one of opening)
    one.catch((error: unknown) => {
      setting.starting.callOff(error);
    });
  await Promise.allSettled(opening);
  const [events, storage] = opening;
  return { events: await events, storage: await storage };
};

/** What was there a moment ago may be away again; what is on this machine is opened, or it is not. */
const waiting = ({ config, starting }: Setting): Pick<Starting, 'until'> =>
  config.eventStore.kind === 'embedded'
    ? { until: (_, open) => open() }
    : { until: starting.until.bind(starting) };

/** Opens in the order in which each needs the one before. */
export const openRuntime = async (setting: Setting): Promise<Runtime> => {
  const { metrics, opened, config, logger } = setting;
  const { events, storage } = await openServers(setting);
  const { store } = events;
  const { until } = waiting(setting);
  const views = opened.add(await until('the database', () => openViewsOn(events, storage, setting)));
  const ledger = opened.add(await until('the log', () => openLedgerOn(events, views, setting)));
  views.start();
  const { state, leadership } = storage;
  const { roles, namespace } = config;
  const parts = { store, views, ledger, state, leadership, roles, namespace, metrics, logger };
  const sweeping = opened.add(new Sweeping(parts));
  sweeping.start();
  return {
    store,
    views,
    ledger,
    metrics,
    sagaReading: () => sweeping.reading(),
    storageHealth: () => storage.health(),
    standings: () => ({
      ...(roles.includes('projector') ? { projector: views.standing } : {}),
      ...sweeping.standings,
    }),
    eventsName: events.name,
    viewsName: storage.name,
  };
};

const openViewsOn = ({ store, logId }: Events, storage: Storage, setting: Setting): Promise<Views> => {
  const { metrics, config, logger } = setting;
  const positions = positionsOf(logId);
  const common = { store, logId, positions, logger, metrics, clock: systemClock };
  const { namespace, roles } = config;
  const { views, leadership } = storage;
  return openViews({
    ...common,
    namespace,
    storage: views,
    leadership,
    projects: roles.includes('projector'),
  });
};

const openLedgerOn = (
  { store }: Events,
  views: Views,
  { metrics, config, logger }: Setting,
): Promise<Ledger> => {
  const noted = (position: string): void => {
    views.noteAppended(position);
  };
  return openLedger({
    store,
    snapshots: views.snapshots,
    cancellationRoots: views.reader,
    clock: systemClock,
    ids: systemIds,
    namespace: config.namespace,
    hotFoldsMiB: config.hotFoldsMiB,
    cancelMode: config.cancelMode,
    soleWriter: config.eventStore.kind === 'embedded',
    appended: noted,
    seen: noted,
    logger,
    metrics: metrics.ledger,
  });
};
