import type { RecordedEvent } from '../../port.js';
import { toPosition } from '../../positions.js';

/** A row of the log, in the order of the statements in log-reader.ts. */
export type EventRow = [
  stream: string,
  revision: number,
  position: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
  created: number,
];

export const recordedFrom = (row: EventRow): RecordedEvent => ({
  stream: row[0],
  revision: row[1],
  position: toPosition(row[2]),
  id: row[3],
  type: row[4],
  data: row[5],
  metadata: row[6],
  created: toIso(row[7]),
});

let lastSecond = Number.NaN;
let lastSecondText = '';

/** As `Date` writes it. Neighbours in the log are of one second, and writing a date costs more than reading a row. */
export const toIso = (milliseconds: number): string => {
  const second = Math.floor(milliseconds / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1_000).toISOString().slice(0, -'000Z'.length);
  }
  return `${lastSecondText}${String(milliseconds - second * 1_000).padStart(3, '0')}Z`;
};

/** What an event weighs in a page or in memory, in UTF-16 units. */
export const weightOf = ({ stream, id, type, data, metadata }: RecordedEvent): number =>
  stream.length + id.length + type.length + data.length + metadata.length;
