import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { BackupError, syncFile } from './manifest.js';

/** Makes the folder when it is not there. @throws BackupError something lies in it: a ledger, or another backup */
export const mustBeEmpty = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const [entry] = await readdir(folder);
  if (entry !== undefined)
    throw new BackupError(`${folder} is not empty (${entry}): nothing is written over what is there`);
};

/** Never over a file that is there: a ledger that was started meanwhile has made its own. */
export const copyNew = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to, constants.COPYFILE_EXCL).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new BackupError(`${to} is there already: a ledger was started on this folder`);
  });
  await syncFile(to);
};

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
