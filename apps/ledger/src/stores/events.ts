import { openLog, systemClock, systemIds } from '#application';
import { EventStoreSettingError, openEventStoreDb, type EventStore } from '#event-store';
import { placeOf } from '../config/deployment.js';
import { ConfigError } from '../config/variables.js';
import type { Setting } from './setting.js';

/** The log that this ledger is written to. */
export interface Events {
  readonly store: EventStore;
  readonly logId: string;
  /** For people: no credentials. */
  readonly name: string;
}

/** On this machine there is nothing to wait for. */
const openEmbedded = async ({ local, config }: Setting): Promise<Events> => {
  const { store, folder } = local;
  if (store === undefined || folder === undefined) throw new Error('the embedded store was not opened');
  const logId = await openLog(store, config.namespace, systemIds, systemClock);
  return { store, logId, name: `embedded:${folder}` };
};

const openStore = async (url: string, { config, logger, metrics }: Setting): Promise<EventStore> => {
  try {
    const { namespace } = config;
    return await openEventStoreDb({ url, namespace, logger, metrics: metrics.eventStore });
  } catch (error) {
    if (!(error instanceof EventStoreSettingError)) throw error;
    throw new ConfigError('LEDGER_EVENT_STORE', url, error.message);
  }
};

/** Waited for until it comes. @throws ConfigError what no waiting can mend */
const openOnServer = async (url: string, setting: Setting): Promise<Events> => {
  const { starting, opened, config } = setting;
  const store = opened.add(await starting.until('the event store', () => openStore(url, setting)));
  const { namespace } = config;
  const logId = await starting.until('the log', () => openLog(store, namespace, systemIds, systemClock));
  return { store, logId, name: placeOf(url) };
};

/** @throws ConfigError, or what the store throws */
export const openEvents = (setting: Setting): Promise<Events> => {
  const { eventStore } = setting.config;
  return eventStore.kind === 'embedded' ? openEmbedded(setting) : openOnServer(eventStore.url, setting);
};
