import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../config/variables.js';
import { reasonOf } from '../reason.js';

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Parents one by one: where a folder can never be, such as below /proc, Node's own `recursive` tries for ever. */
const makeFolder = async (folder: string): Promise<void> => {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    // Another process was faster.
    if (!isFolder(folder)) throw error;
  });
};

/** The absolute path of the folder, which is made when it is not there. @throws ConfigError */
export const openFolder = async (dataDir: string): Promise<string> => {
  const folder = resolve(dataDir);
  try {
    await makeFolder(folder);
  } catch (error) {
    const allowed = `a folder this process may write (${reasonOf(error)})`;
    throw new ConfigError('LEDGER_DATA_DIR', dataDir, allowed);
  }
  return folder;
};
