import { join, resolve } from 'node:path';
import { copyLogFile, type EventStore, type RecordedEvent } from '#event-store';
import { copySqliteState, openState, readPostgresState } from '#views';
import type { LedgerConfig } from '../config/config.js';
import { version } from '../version.js';
import { writeEventLines } from './event-lines.js';
import { everyEvent } from './every-event.js';
import { mustBeEmpty } from './folders.js';
import { writeLines } from './lines.js';
import { BackupError, describeFile, writeManifest, type Manifest } from './manifest.js';
import { checkStoredEvents, storedEvents } from './stored-events.js';

export interface BackupParts {
  readonly config: LedgerConfig;
  /** Connects to the event store on a server. */
  readonly openStore: (url: string) => Promise<EventStore>;
}

interface Kinds {
  readonly events: Manifest['events']['kind'];
  readonly state: Manifest['state']['kind'];
}

const files = {
  events: { sqlite: 'events.db', lines: 'events.ndjson' },
  state: { sqlite: 'state.db', postgres: 'state.ndjson' },
};

export const kindsOf = ({ eventStore, views }: LedgerConfig): Kinds => ({
  events: eventStore.kind === 'embedded' ? 'sqlite' : 'lines',
  state: views.kind,
});

/**
 * Copies state and events of a ledger into an empty folder, while it is written, and reads the copy back. The state
 * first: it is never ahead of the log then. Views are left out, they are filled from the log.
 * @throws BackupError and what the stores throw
 */
export const takeBackup = async (parts: BackupParts, target: string): Promise<Manifest> => {
  const folder = resolve(target);
  await mustBeEmpty(folder);
  const kinds = kindsOf(parts.config);
  const names = { events: files.events[kinds.events], state: files.state[kinds.state] };
  await copyState(parts.config, join(folder, names.state));
  await copyEvents(parts, join(folder, names.events));
  const manifest = await described(parts.config, folder, kinds, names);
  await writeManifest(folder, manifest);
  return manifest;
};

const copyState = async ({ views, dataDir, namespace }: LedgerConfig, to: string): Promise<void> => {
  if (views.kind === 'postgres') return writeLines(to, readPostgresState({ url: views.url, namespace }));
  await copySqliteState(join(dataDir, 'state.db'), to);
  // Opened as a ledger opens it.
  const state = await openState({ file: to });
  await state.saga.load();
  return state.close();
};

const copyEvents = async ({ config, openStore }: BackupParts, to: string): Promise<void> => {
  const { eventStore, dataDir, namespace } = config;
  if (eventStore.kind === 'embedded') return copyLogFile(join(dataDir, 'events.db'), to);
  const store = await openStore(eventStore.url);
  try {
    await writeEventLines(to, everyEvent(store, `${namespace}.`));
  } finally {
    await store.close();
  }
};

/** What the copy holds, by reading all of it. */
const described = async (
  { namespace }: LedgerConfig,
  folder: string,
  kinds: Kinds,
  names: { readonly events: string; readonly state: string },
): Promise<Manifest> => {
  const events = { kind: kinds.events, ...(await describeFile(folder, names.events)) };
  const stored = { namespace, events: { ...events, count: 0, last: '' } };
  const { count, last } = await checkStoredEvents(folder, stored);
  const logId = await logIdOf(storedEvents(folder, stored), namespace);
  if (last === undefined || logId === undefined)
    throw new BackupError(`there is no ledger under the namespace ${namespace}: its log was never opened`);
  return {
    format: 1,
    createdAt: new Date().toISOString(),
    version,
    namespace,
    logId,
    events: { ...events, count, last },
    state: { kind: kinds.state, ...(await describeFile(folder, names.state)) },
  };
};

/** The log's own stream begins with its id, and is begun before any other. */
const logIdOf = async (
  events: AsyncGenerator<RecordedEvent>,
  namespace: string,
): Promise<string | undefined> => {
  const { value: first } = (await events.next()) as IteratorResult<RecordedEvent, undefined>;
  await events.return(undefined);
  if (first?.stream !== `${namespace}.log`) return undefined;
  return (JSON.parse(first.data) as { logId: string }).logId;
};
