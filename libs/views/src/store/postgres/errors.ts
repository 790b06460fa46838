import { StorageSettingError, StorageUnavailableError, ViewsUnavailableError } from '../errors.js';

/** Of the operating system: the server cannot be reached. */
const unreachable = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'],
]);

/** Of the server, by the class of its error: connection, resources, intervention of an operator. */
const awayClasses = new Set(['08', '53', '57', '58']);

/** Of the server: what may be tried again, or a set of tables that changed hands meanwhile. */
const awayCodes = new Set(['40001', '40P01', '55P03', '25006', '25P02', '25P03', '42P01', '3F000']);

/** Of the server: who may not enter. */
const refusedCodes = new Set(['28000', '28P01', '3D000', '42501']);

/** Of the driver, which knows these by their words alone. */
const awayWords =
  /connection terminated|timeout exceeded when trying|read timeout|connection error|after calling end|connection ended|not queryable/i;

const tlsWords = /does not support SSL|certificate|SSL|TLS/;

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isAway = (error: unknown): boolean => {
  const code = codeOf(error);
  if (unreachable.has(code) || awayCodes.has(code)) return true;
  return /^[0-9A-Z]{5}$/.test(code) ? awayClasses.has(code.slice(0, 2)) : awayWords.test(messageOf(error));
};

const isSetting = (error: unknown): boolean => {
  const code = codeOf(error);
  if (/^[0-9A-Z]{5}$/.test(code)) return refusedCodes.has(code);
  return /CERT|TLS|SSL|VERIFY/.test(code) || (!isAway(error) && tlsWords.test(messageOf(error)));
};

/** What a call met, under a name by which the layers above tell an absence from a bug. */
export const named = (error: unknown): Error => {
  if (error instanceof ViewsUnavailableError) return error;
  if (isAway(error) || isSetting(error)) return new ViewsUnavailableError(error);
  return error instanceof Error ? error : new Error(String(error));
};

/** What the opening met: an operator's mistake, or a server that is not there yet. */
export const namedAtStart = (error: unknown): Error => {
  const cause = error instanceof ViewsUnavailableError ? error.cause : error;
  if (isSetting(cause)) return new StorageSettingError(messageOf(cause));
  if (isAway(cause)) return new StorageUnavailableError(cause);
  return error instanceof Error ? error : new Error(String(error));
};

const codeBelow = (error: unknown): string =>
  codeOf(error instanceof ViewsUnavailableError ? error.cause : error);

/** No such schema, or no such table in it. */
export const isAbsent = (error: unknown): boolean => ['42P01', '3F000'].includes(codeBelow(error));

/** No such column: the tables are of another version. */
export const isOtherVersion = (error: unknown): boolean => codeBelow(error) === '42703';

/** The server answered that it would not do it: the connection is whole. */
export const isRefusal = (error: unknown): boolean => {
  const code = codeBelow(error);
  return /^[0-9A-Z]{5}$/.test(code) && !awayClasses.has(code.slice(0, 2));
};
