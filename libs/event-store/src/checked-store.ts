import { AppendTooLargeError, InvalidStoreCallError } from './errors.js';
import type {
  EventStore,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  SubscribeOptions,
} from './port.js';
import { appendBytesMax, appendEventsMax, pageSizeMax } from './port.js';
import { isPosition } from './positions.js';

/**
 * Puts the port's own refusals before a backend, so that every adapter refuses the same calls and none of them
 * sees one. Appends and reads reject, `subscribe` throws.
 */
export const withCallChecks = (backend: EventStore): EventStore => ({
  append: (stream, events, expected) =>
    refusedOr(() => checkAppend(stream, events, expected)) ?? backend.append(stream, events, expected),
  readStream: (stream, options) =>
    refusedOr(() => checkReadStream(stream, options)) ?? backend.readStream(stream, options),
  readAll: (options) => refusedOr(() => checkReadAll(options)) ?? backend.readAll(options),
  subscribe: (options) => {
    checkSubscribe(options);
    return backend.subscribe(options);
  },
  head: (prefix) => refusedOr(() => checkText('prefix', prefix)) ?? backend.head(prefix),
  health: () => backend.health(),
  close: () => backend.close(),
});

const refusedOr = (check: () => void): Promise<never> | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new InvalidStoreCallError(String(error)));
  }
};

const checkAppend = (stream: string, events: readonly NewEvent[], expected: ExpectedRevision): void => {
  checkName('stream name', stream);
  checkExpected(expected);
  if (events.length === 0) throw new InvalidStoreCallError('an append without events');
  if (events.length > appendEventsMax)
    throw new InvalidStoreCallError(
      `an append of ${String(events.length)} events; at most ${String(appendEventsMax)}`,
    );
  for (const event of events) checkEvent(event);
  checkDistinctIds(events);
  checkSize(events);
};

const checkExpected = (expected: ExpectedRevision): void => {
  if (expected !== 'none' && expected !== 'any') checkWhole('expected revision', expected, 0);
};

const checkEvent = ({ id, type, data, metadata }: NewEvent): void => {
  if (!uuid.test(id))
    throw new InvalidStoreCallError(`an event id is a UUID in lower case, not ${JSON.stringify(id)}`);
  checkName('event type', type);
  checkText('data', data);
  checkText('metadata', metadata);
};

// Lower case only: ids are compared as text, and one backend hands them back in lower case.
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

const checkDistinctIds = (events: readonly NewEvent[]): void => {
  if (events.length > 1 && new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidStoreCallError('one event id twice in an append');
};

/** Counting bytes costs; text of n UTF-16 units has at most 3n of them, and almost no append comes near the limit. */
const checkSize = (events: readonly NewEvent[]): void => {
  let units = 0;
  for (const { type, data, metadata } of events) units += type.length + data.length + metadata.length;
  if (units * 3 <= appendBytesMax) return;
  const bytes = bytesOf(events);
  if (bytes > appendBytesMax) throw new AppendTooLargeError(bytes, appendBytesMax);
};

/** What {@link appendBytesMax} counts: UTF-8 bytes of types, data and metadata. */
const bytesOf = (events: readonly NewEvent[]): number =>
  events.reduce(
    (sum, { type, data, metadata }) =>
      sum + Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );

const checkReadStream = (stream: string, { from, limit }: ReadStreamOptions): void => {
  checkName('stream name', stream);
  if (from !== undefined) checkWhole('first revision', from, 0);
  checkPageSize(limit);
};

const checkReadAll = ({ from, limit, prefix }: ReadAllOptions): void => {
  if (from !== undefined) checkPosition(from);
  checkPageSize(limit);
  checkText('prefix', prefix);
};

const checkSubscribe = ({ from, prefix, batchSize }: SubscribeOptions): void => {
  if (from !== 'start' && from !== 'end') checkPosition(from);
  checkText('prefix', prefix);
  if (batchSize !== undefined) checkPageSize(batchSize);
};

const checkPosition = (position: string): void => {
  if (!isPosition(position))
    throw new InvalidStoreCallError(`a position is 20 digits, not ${JSON.stringify(position)}`);
};

const checkPageSize = (limit: number): void => {
  checkWhole('page size', limit, 1);
  if (limit > pageSizeMax)
    throw new InvalidStoreCallError(`a page of ${String(limit)} events; at most ${String(pageSizeMax)}`);
};

const checkWhole = (what: string, value: number, least: number): void => {
  if (!Number.isSafeInteger(value) || value < least)
    throw new InvalidStoreCallError(`${what} is a whole number from ${String(least)}, not ${String(value)}`);
};

const checkName = (what: string, name: string): void => {
  if (name === '') throw new InvalidStoreCallError(`an empty ${what}`);
  if (name.includes('\0')) throw new InvalidStoreCallError(`a ${what} with a NUL character`);
  checkText(what, name);
};

/** A lone surrogate has no UTF-8 form: it would come back as another text than the one that was stored. */
const checkText = (what: string, text: string): void => {
  if (!(text as WellFormedText).isWellFormed())
    throw new InvalidStoreCallError(`${what} is not well-formed Unicode`);
};

/** ES2024; Node has it since 20, the compiler's library of ES2023 does not name it. */
type WellFormedText = string & { isWellFormed(): boolean };
