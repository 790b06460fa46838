import { join, resolve } from 'node:path';
import { openEmbeddedStore, type EventStore } from '#event-store';
import { isPostgresStateEmpty, openState, writePostgresState, type StateRow } from '#views';
import type { LedgerConfig } from '../config/config.js';
import { copyNew, mustBeEmpty } from './folders.js';
import { readLines } from './lines.js';
import { BackupError, checkFiles, readManifest, type Manifest } from './manifest.js';
import { compareLog, replay, type Comparison } from './replay.js';
import { checkStoredEvents, storedEvents } from './stored-events.js';
import { kindsOf, type BackupParts } from './take-backup.js';

export interface Restored {
  readonly manifest: Manifest;
  /** Events that were written; the others stood in the log already. */
  readonly events: number;
  /** The state of another kind of deployment names positions of another log: it is begun anew. */
  readonly state: 'restored' | 'left-out';
}

/**
 * Puts a backup into a deployment that holds no ledger yet. Where the log on a server holds a beginning of the backup
 * the rest is appended, and where it holds all of it and more it is left as it is.
 * @throws BackupError and what the stores throw
 */
export const restoreBackup = async (parts: BackupParts, source: string): Promise<Restored> => {
  const folder = resolve(source);
  const manifest = await readManifest(folder);
  await checkFiles(folder, manifest);
  await checkEvents(folder, manifest);
  const { config } = parts;
  if (manifest.namespace !== config.namespace)
    throw new BackupError(
      `the backup is of the namespace ${manifest.namespace}, this ledger of ${config.namespace}: set LEDGER_NAMESPACE`,
    );
  await mustTakeState(config);
  const events = await restoreEvents(parts, folder, manifest);
  return { manifest, events, state: await restoreState(config, folder, manifest) };
};

const checkEvents = async (folder: string, manifest: Manifest): Promise<void> => {
  const { count, last } = await checkStoredEvents(folder, manifest);
  if (count !== manifest.events.count || last !== manifest.events.last)
    throw new BackupError(
      `${folder} holds ${String(count)} events up to ${String(last)}, not what its list says`,
    );
};

/** Before anything is written: nobody's files, nobody's rows. */
const mustTakeState = async ({ eventStore, views, dataDir, namespace }: LedgerConfig): Promise<void> => {
  if (eventStore.kind === 'embedded' || views.kind === 'sqlite') await mustBeEmpty(resolve(dataDir));
  if (views.kind !== 'postgres') return;
  const place = { url: views.url, namespace };
  if (!(await isPostgresStateEmpty(place)))
    throw new BackupError(
      `the database holds a state of the namespace ${namespace} already: nothing is written over it`,
    );
};

const restoreEvents = async (
  { config, openStore }: BackupParts,
  folder: string,
  manifest: Manifest,
): Promise<number> => {
  const { eventStore, dataDir } = config;
  if (eventStore.kind === 'embedded' && manifest.events.kind === 'sqlite') {
    await copyNew(join(folder, manifest.events.file), join(resolve(dataDir), 'events.db'));
    return manifest.events.count;
  }
  const store = await (eventStore.kind === 'embedded'
    ? openEmbeddedStore({ folder: resolve(dataDir) })
    : openStore(eventStore.url));
  try {
    return await replayed(store, folder, manifest);
  } finally {
    await store.close();
  }
};

const compared = async (store: EventStore, folder: string, manifest: Manifest): Promise<Comparison> => {
  const comparison = await compareLog(store, `${manifest.namespace}.`, storedEvents(folder, manifest));
  if (comparison.differsAt !== undefined)
    throw new BackupError(
      `the log holds another event at ${comparison.differsAt} than the backup: it is the log of another ledger, or of ` +
        'this one after it was restored from elsewhere',
    );
  return comparison;
};

/** Compared before, so that nothing is mixed, and after, for that is what the operator wants to know. */
const replayed = async (store: EventStore, folder: string, manifest: Manifest): Promise<number> => {
  const before = await compared(store, folder, manifest);
  if (!before.backupGoesOn) return 0;
  await replay(store, storedEvents(folder, manifest), before.common);
  const after = await compared(store, folder, manifest);
  if (after.backupGoesOn || after.logGoesOn)
    throw new BackupError('somebody else wrote to this log while it was restored');
  return manifest.events.count - before.common;
};

const restoreState = async (
  config: LedgerConfig,
  folder: string,
  manifest: Manifest,
): Promise<Restored['state']> => {
  const { views, dataDir, namespace } = config;
  const kinds = kindsOf(config);
  if (kinds.events !== manifest.events.kind || kinds.state !== manifest.state.kind) return 'left-out';
  const path = join(folder, manifest.state.file);
  if (views.kind === 'sqlite') {
    await copyNew(path, join(resolve(dataDir), 'state.db'));
    return 'restored';
  }
  const place = { url: views.url, namespace };
  // Makes the tables.
  await (await openState({ postgres: place })).close();
  await writePostgresState(place, readLines(path, stateRow));
  return 'restored';
};

const stateRow = (value: unknown): StateRow | undefined => {
  const { table, row } = value as StateRow;
  return typeof table === 'string' && typeof row === 'string' ? { table, row } : undefined;
};
