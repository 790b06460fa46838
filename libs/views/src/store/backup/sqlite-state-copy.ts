import Database from 'better-sqlite3';

/** How long a copy waits for a write that is under way. Milliseconds. */
const busyMs = 2_000;
/** The whole file in one step: it is small, and a step that found it changed would begin again. */
const pagesAtOnce = 0x7f_ff_ff_ff;

/**
 * Copies the state in `file` into the new file `to`, while it is written.
 * @throws Error no such file, or what the copy of a damaged one says
 */
export const copySqliteState = async (file: string, to: string): Promise<void> => {
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: busyMs });
  try {
    await source.backup(to, { progress: () => pagesAtOnce });
  } finally {
    source.close();
  }
  const copy = new Database(to, { fileMustExist: true });
  try {
    // One file, without a log beside it.
    copy.pragma('journal_mode = DELETE');
    const integrity = String(copy.pragma('integrity_check(1)', { simple: true }));
    if (integrity !== 'ok') throw new Error(`the copy of ${file} is damaged: ${integrity}`);
  } finally {
    copy.close();
  }
};
