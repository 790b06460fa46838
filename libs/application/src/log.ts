import { DomainError, type EventMetadata } from '#domain';
import { OutcomeUnknownError, WrongExpectedRevisionError, type EventStore } from '#event-store';
import { decodeRecorded } from './codec/decode.js';
import { encodeAppend } from './codec/encode.js';
import { nameBasedUuid } from './identity/name-based.js';
import { stampOf } from './identity/stamp.js';
import type { Clock, Ids } from './ports/clock.js';
import { streamNames } from './streams.js';

const openAttemptsMax = 5;

const readLogId = async (store: EventStore, namespace: string): Promise<string | undefined> => {
  const names = streamNames(namespace);
  const [first] = await store.readStream(names.log, { from: 0, limit: 1 });
  if (first === undefined) return undefined;
  const decoded = decodeRecorded(first, names);
  if (decoded.kind === 'log') return decoded.event.data.logId;
  const reason = decoded.kind === 'unreadable' ? decoded.error : 'an event of another stream';
  throw new DomainError('unavailable', `the first event of ${names.log} cannot be read: ${reason}`);
};

const metadataOfLog = (commandId: string): EventMetadata => ({
  tenant: 'system',
  owner: 'system',
  principal: 'system',
  role: 'system',
  via: 'system',
  commandId,
  $causationId: commandId,
  $correlationId: commandId,
});

const appendLogOpened = async (
  store: EventStore,
  namespace: string,
  clock: Clock,
  logId: string,
): Promise<void> => {
  const data = { at: new Date(clock.now()).toISOString(), logId };
  const id = nameBasedUuid(['LogOpened', namespace, logId]);
  const { events } = encodeAppend([{ type: 'LogOpened', data }], stampOf(metadataOfLog(id)), () => id);
  try {
    await store.append(streamNames(namespace).log, events, 'none');
  } catch (error) {
    // Another process opened the log first, or our own answer was lost: the stream says which id holds.
    if (!(error instanceof WrongExpectedRevisionError) && !(error instanceof OutcomeUnknownError))
      throw error;
  }
};

/**
 * The identity of the log behind a store: read from `LogOpened`, which is written when there is none. Whoever asks
 * first fixes it; two processes that ask at once agree.
 */
export const openLog = async (
  store: EventStore,
  namespace: string,
  ids: Ids,
  clock: Clock,
): Promise<string> => {
  for (let attempt = 0; attempt < openAttemptsMax; attempt += 1) {
    const found = await readLogId(store, namespace);
    if (found !== undefined) return found;
    // The first 8 of a random UUID are hexadecimal digits: lower-case letters and digits.
    await appendLogOpened(store, namespace, clock, ids.uuid().slice(0, 8));
  }
  throw new DomainError('unavailable', 'the log could not be opened');
};
