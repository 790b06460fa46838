import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './manifest.js';

async function* asLines<Value>(values: AsyncIterable<Value>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** One JSON object a line, into a new file. */
export const writeLines = (path: string, values: AsyncIterable<unknown>): Promise<void> =>
  pipeline(Readable.from(asLines(values)), createWriteStream(path, { flags: 'wx' }));

/** The values of a file of lines, each looked at by `read`. @throws BackupError that names the line */
export async function* readLines<Value>(
  path: string,
  read: (value: unknown) => Value | undefined,
): AsyncGenerator<Value> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1;
    const value = valueOf(line, read);
    if (value === undefined) throw new BackupError(`line ${String(number)} of ${path} cannot be read`);
    yield value;
  }
}

const valueOf = <Value>(line: string, read: (value: unknown) => Value | undefined): Value | undefined => {
  try {
    return read(JSON.parse(line));
  } catch {
    return undefined;
  }
};
