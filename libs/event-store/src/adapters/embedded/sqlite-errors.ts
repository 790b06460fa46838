/**
 * SQLite's own result code (`SQLITE_FULL` …), or undefined for any other error. Looked at by its fields: the driver
 * makes its errors with the class of whichever context loaded it first, and that one's `Error` may not be ours.
 */
export const sqliteCode = (error: unknown): string | undefined => {
  const code = fieldOf(error, 'code');
  return code?.startsWith('SQLITE_') === true ? code : undefined;
};

const fieldOf = (error: unknown, field: 'code' | 'message'): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
};

/** For an operator. */
export const reasonOf = (error: unknown): string => {
  const code = sqliteCode(error);
  if (code === 'SQLITE_FULL') return 'the disk, or the limit set for the log, is full (SQLITE_FULL)';
  if (code === 'SQLITE_BUSY') return 'another process keeps the log locked (SQLITE_BUSY)';
  const text = fieldOf(error, 'message') ?? String(error);
  return code === undefined ? text : `${text} (${code})`;
};

/** Faults of one append's own contents or place; any other fault is the file's, and befalls every append alike. */
export const isOwnFault = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code === undefined || /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code);
};

/**
 * When a commit fails for want of space, its last page was never written and nothing of it can come back. After any
 * other failure of the disk the whole of it may be there, unsynced, and be found by the next process.
 */
export const mayHaveCommitted = (error: unknown): boolean =>
  sqliteCode(error)?.startsWith('SQLITE_IOERR') === true;
