import { randomUUID } from 'node:crypto';
import { defaultLimits, type EmulatorLimits } from './options.js';
import {
  noSettings,
  parseStreamSettings,
  tombstoneRevision,
  type StreamSettings,
} from './stream-settings.js';

export interface NewRecord {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. Its position is both commit and prepare: nobody here writes in transactions. */
export interface LogRecord extends NewRecord {
  /** The how many-th record of the log, from 0. */
  readonly index: number;
  /** Where it starts, in bytes, as a real log has it: rising, with gaps. */
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** What stands before the first event of a new server. */
const firstPosition = 546;
/** What a record takes beside names and bodies. */
const recordOverhead = 90;

const noRecords: readonly LogRecord[] = [];
const utf8 = new TextEncoder();

/** Refused: a limit of the emulator is reached. */
export class LogFullError extends Error {}

/** Every event ever written, in one order, and the streams they make. Held in memory, within the limits. */
export class EventLog {
  readonly #records: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  /** Where each id was written last, which is how a repeat without a revision is known. */
  readonly #ids = new Map<string, LogRecord>();
  readonly #listeners = new Set<() => void>();
  readonly #limits: Pick<EmulatorLimits, 'maximumEvents' | 'maximumBytes'>;
  #end = firstPosition;
  #bytes = 0;

  constructor(limits: Pick<EmulatorLimits, 'maximumEvents' | 'maximumBytes'> = defaultLimits) {
    this.#limits = limits;
    // A real server's log never begins with its users' events.
    this.writeSystemEvent('$$$scavenges', '$metadata', { $maxCount: 1000 });
  }

  get records(): readonly LogRecord[] {
    return this.#records;
  }

  /** The position after the last record: where the next one will start. */
  get end(): number {
    return this.#end;
  }

  get last(): LogRecord | undefined {
    return this.#records.at(-1);
  }

  stream(name: string): readonly LogRecord[] {
    return this.#streams.get(name) ?? noRecords;
  }

  /** -1 when nothing was ever written to it. */
  currentRevision(name: string): number {
    return this.stream(name).at(-1)?.revision ?? -1;
  }

  isTombstoned(name: string): boolean {
    return this.currentRevision(name) === tombstoneRevision;
  }

  /** What `$$stream` says at the moment. */
  settings(name: string): StreamSettings {
    const written = this.stream(`$$${name}`).at(-1);
    return written === undefined ? noSettings : parseStreamSettings(written.data);
  }

  /** Deleted, but not for ever: reads find nothing, the numbering goes on. */
  isSoftDeleted(name: string): boolean {
    const current = this.currentRevision(name);
    return current >= 0 && this.settings(name).truncateBefore > current;
  }

  findId(id: string): LogRecord | undefined {
    return this.#ids.get(id);
  }

  /** The index of the first record at the position or after it; the length of the log when there is none. */
  indexFrom(position: number): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { position: at } = this.#records[middle]!;
      if (at < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a record starts here, or the next one will. 0 is the start of the log. */
  isStart(position: number): boolean {
    if (position === 0 || position >= this.#end) return true;
    return this.#records[this.indexFrom(position)]?.position === position;
  }

  /**
   * Writes whatever it is given: whether that is right was decided before.
   *
   * @throws LogFullError beyond the limits; nothing of the append is written then.
   */
  write(
    stream: string,
    events: readonly NewRecord[],
    options: { tombstone?: true } = {},
  ): readonly LogRecord[] {
    const sizes = events.map((event) => sizeOf(stream, event));
    this.#refuseBeyondLimits(sizes);
    const created = Date.now();
    const written = events.map((event, offset) =>
      this.#add(stream, event, sizes[offset]!, created, options.tombstone ?? false),
    );
    for (const heard of [...this.#listeners]) heard();
    return written;
  }

  /** What an append without events leaves behind: a place in the log that no read shows. */
  writeNothing(): number {
    const position = this.#end;
    this.#end += recordOverhead;
    return position;
  }

  /** As the server itself writes now and then, so that the newest event of the log is not always ours. */
  writeSystemEvent(stream: string, type: string, data: unknown): LogRecord {
    const event = {
      id: randomUUID(),
      type,
      isJson: true,
      data: utf8.encode(JSON.stringify(data)),
      metadata: new Uint8Array(),
    };
    return this.write(stream, [event])[0]!;
  }

  /** Told after every write; returns how to stop. */
  listen(heard: () => void): () => void {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  }

  #add(stream: string, event: NewRecord, size: number, created: number, tombstone: boolean): LogRecord {
    const revision = tombstone ? tombstoneRevision : this.currentRevision(stream) + 1;
    const index = this.#records.length;
    const record: LogRecord = { ...event, stream, revision, position: this.#end, index, created };
    this.#records.push(record);
    const records = this.#streams.get(stream);
    if (records === undefined) this.#streams.set(stream, [record]);
    else records.push(record);
    this.#ids.set(event.id, record);
    this.#end += recordOverhead + size;
    this.#bytes += size;
    return record;
  }

  #refuseBeyondLimits(sizes: readonly number[]): void {
    const { maximumEvents, maximumBytes } = this.#limits;
    if (this.#records.length + sizes.length > maximumEvents)
      throw new LogFullError(`the emulator holds ${maximumEvents} events at most`);
    if (this.#bytes + sizes.reduce((sum, size) => sum + size, 0) > maximumBytes)
      throw new LogFullError(`the emulator holds ${maximumBytes} bytes at most`);
  }
}

const sizeOf = (stream: string, { type, data, metadata }: NewRecord): number =>
  Buffer.byteLength(stream) + Buffer.byteLength(type) + data.length + metadata.length;
