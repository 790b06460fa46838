// @ts-check
/** Output for people: headings, and columns that line up. */

/** @param {string} [line] */
export const say = (line = '') => void process.stdout.write(`${line}\n`);

/** @param {string} title */
export function heading(title) {
  say();
  say(title);
  say('─'.repeat(title.length));
}

const whoWidth = 8;

/** One thing that somebody did or saw. @param {'client' | 'agent' | 'ledger'} who @param {string} what */
export const step = (who, what) => say(`  ${who.padEnd(whoWidth)}${what}`);

/** @param {string[]} heads @param {string[][]} rows */
export function table(heads, rows) {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  /** @param {string[]} cells */
  const line = (cells) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  say(line(heads));
  say(line(widths.map((width) => '─'.repeat(width))));
  for (const row of rows) say(line(row));
}

/** Only the time of day. @param {string} at ISO 8601 */
export const timeOfDay = (at) => at.slice(11, 23);

/** @param {string} text @param {number} length */
export const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
