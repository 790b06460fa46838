import { invalid } from './errors.js';

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const stored = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The later of two instants in the stored form, whose text order is time order. */
export const later = (one: string, other: string): string => (one > other ? one : other);

/** Whether a text is an instant as the ledger stores it: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const isInstant = (value: unknown): value is string => typeof value === 'string' && stored.test(value);

export const millisecondsAfter = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString();

/** The next millisecond. */
export const justAfter = (instant: string): string => millisecondsAfter(instant, 1);

const daysIn = (year: number, month: number): number => {
  // Not the constructor, which takes the years 0 to 99 for those of the last century.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
};

/** `Date` takes the 31st of February for the 3rd of March. */
const isCalendarDay = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= daysIn(year, month);
};

/**
 * Somebody else's time (RFC 3339, any offset) in the stored form (C07).
 * @throws DomainError `invalid-request` naming the field
 */
export const toInstant = (value: unknown, field: string): string => {
  const wellFormed = typeof value === 'string' && rfc3339.test(value);
  const milliseconds = wellFormed ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw invalid(field, 'must be an RFC 3339 date and time');
  if (!isCalendarDay(String(value))) throw invalid(field, 'must be a day of the calendar');
  const instant = new Date(milliseconds).toISOString();
  if (!isInstant(instant)) throw invalid(field, 'must lie in the years 0000 to 9999');
  return instant;
};
