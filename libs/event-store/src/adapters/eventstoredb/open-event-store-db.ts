import { withCallChecks } from '../../checked-store.js';
import { StoreUnavailableError } from '../../errors.js';
import type { EventStore } from '../../port.js';
import { loadClient } from './driver/load-client.js';
import { EventStoreDb, type EventStoreDbLogger, type EventStoreDbMetrics } from './event-store-db.js';
import { storeTimings, type StoreTimings } from './limits.js';
import { parseConnectionString } from './settings/connection-string.js';
import { EventStoreSettingError } from './settings/setting-error.js';
import { checkStart } from './start/start-check.js';
import type { SubscriptionTimings } from './subscription/timings.js';

export type { EventStoreDbLogger, EventStoreDbMetrics } from './event-store-db.js';

export interface EventStoreDbOptions {
  /** `esdb://…`, `esdb+discover://…` (EventStoreDB's own client), `kurrentdb://…` or `kurrentdb+discover://…`. */
  readonly url: string;
  /** What the names of all our streams begin with, without the dot. */
  readonly namespace: string;
  readonly logger?: EventStoreDbLogger | undefined;
  readonly metrics?: EventStoreDbMetrics | undefined;
  /** Shorter ones for tests. */
  readonly timings?: Partial<StoreTimings> & { readonly subscription?: Partial<SubscriptionTimings> };
}

/**
 * The event log in an EventStoreDB (KurrentDB), once it can be talked to.
 * @throws EventStoreSettingError for a mistake of the operator (one line, no password: a malformed or unknown option, a
 *   missing file, an untrusted certificate, TLS where there is none or the reverse, wrong password);
 *   StoreUnavailableError when the database is not there yet: try again
 */
export const openEventStoreDb = async (options: EventStoreDbOptions): Promise<EventStore> => {
  const settings = parseConnectionString(options.url);
  const { subscription, ...timings } = options.timings ?? {};
  const store = new EventStoreDb({
    client: await loadClient(settings),
    settings,
    timings: { ...storeTimings, ...timings },
    subscriptionTimings: subscription,
    logger: options.logger,
    metrics: options.metrics ?? {},
  });
  try {
    await checkStart(store.open(), settings, store.timings.start);
    // The head of our own prefix is known from the start on, before anything of ours is appended or seen.
    await store.head(`${options.namespace}.`);
  } catch (error) {
    await store.close();
    if (error instanceof EventStoreSettingError || error instanceof StoreUnavailableError) throw error;
    throw new EventStoreSettingError(`${settings.forLogs}: ${firstLineOf(error)}`, { cause: error });
  }
  return withCallChecks(store);
};

/** What a client says of its settings names an option or a file, never the password. */
const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
