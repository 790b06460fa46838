import { invalid, toInstant } from '#domain';

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText =
  (longest: number) =>
  (value: unknown): boolean =>
    typeof value === 'string' && value.length <= longest;

const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** `Date` takes the 31st of February for the 3rd of March. */
const isCalendarDay = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
};

/**
 * An instant in the one form that the ledger keeps and answers: UTC, milliseconds.
 * @throws DomainError `invalid-request` naming the field
 */
export const toCalendarInstant = (value: unknown, field: string): string => {
  const instant = toInstant(value, field);
  if (!isCalendarDay(String(value))) throw invalid(field, 'must be a day of the calendar');
  return instant;
};
