import pg from 'pg';

/**
 * PostgreSQL keeps no NUL in a text, and there may be one in a reason or a message about an event that could not be
 * read. It is written as two characters, and so is the first of these.
 */
const mark = '\uE000';
const written: Readonly<Record<string, string>> = { '\0': `${mark}0`, [mark]: `${mark}1` };
const read: Readonly<Record<string, string>> = { '0': '\0', '1': mark };

const special = /[\0\uE000]/g;
const escaped = /\uE000([01])/g;

export const writtenText = (text: string): string =>
  text.includes('\0') || text.includes(mark)
    ? text.replace(special, (character) => written[character] ?? character)
    : text;

export const readText = (text: string): string =>
  text.includes(mark) ? text.replace(escaped, (whole, which: string) => read[which] ?? whole) : text;

/** A value of a parameter, as the driver is given it. */
export const writtenValue = (value: unknown): unknown =>
  typeof value === 'string' ? writtenText(value) : value;

const { INT8, NUMERIC, TEXT } = pg.types.builtins;

const parsers = new Map<number, (text: string) => unknown>([
  // Counts, sums, keys and places: all of them below 2^53.
  [INT8, Number],
  [NUMERIC, Number],
  [TEXT, readText],
]);

const parserOf = (oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary'): unknown =>
  parsers.get(oid) ?? pg.types.getTypeParser(oid, format);

/** How values come back from the driver. */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'],
};
