import { openEventStoreDb } from '#event-store';
import { readConfig } from '../config/config.js';
import type { BackupParts } from './take-backup.js';
import { restoreBackup } from './restore-backup.js';
import { takeBackup } from './take-backup.js';

const usage = 'name one folder: npm run backup -- <folder>, or npm run restore -- <folder>';

const parts = (): BackupParts => {
  const config = readConfig(process.env);
  return { config, openStore: (url) => openEventStoreDb({ url, namespace: config.namespace }) };
};

/** Each answers the one line that says what was done. */
const deeds: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  backup: async (folder) => {
    const { events, logId } = await takeBackup(parts(), folder);
    return `backup of log ${logId} complete and read back: ${String(events.count)} events up to ${events.last}, in ${folder}`;
  },
  restore: async (folder) => {
    const { manifest, events, state } = await restoreBackup(parts(), folder);
    const left =
      state === 'restored' ? 'and the state' : 'the state of another kind of deployment was left out';
    return `log ${manifest.logId} restored from ${folder}: ${String(events)} of ${String(manifest.events.count)} events written, ${left}`;
  },
};

const [word = '', folder, ...more] = process.argv.slice(2);
const deed = deeds[word];
try {
  if (deed === undefined || folder === undefined || more.length > 0) throw new Error(usage);
  process.stdout.write(`${await deed(folder)}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${word || 'backup'} failed: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exitCode = 1;
}
