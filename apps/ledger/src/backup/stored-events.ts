import { join } from 'node:path';
import { openLogFile, type RecordedEvent } from '#event-store';
import { everyEvent } from './every-event.js';
import { checkEventLines, readEventLines, type EventSummary } from './event-lines.js';
import type { Manifest } from './manifest.js';

type StoredEvents = Pick<Manifest, 'events'>;

/** Looks at the whole file of events. @throws BackupError or Error that says what is wrong with it */
export const checkStoredEvents = async (folder: string, { events }: StoredEvents): Promise<EventSummary> => {
  const path = join(folder, events.file);
  if (events.kind === 'lines') return checkEventLines(path);
  const file = openLogFile(path);
  try {
    const { events: count, last } = file.check();
    return { count, ...(last === undefined ? {} : { last }) };
  } finally {
    file.close();
  }
};

/** The events of a backup in log order, however they are kept. */
export async function* storedEvents(
  folder: string,
  { events, namespace }: Pick<Manifest, 'events' | 'namespace'>,
): AsyncGenerator<RecordedEvent> {
  const path = join(folder, events.file);
  if (events.kind === 'lines') {
    yield* readEventLines(path);
    return;
  }
  const file = openLogFile(path);
  try {
    yield* everyEvent(file, `${namespace}.`);
  } finally {
    file.close();
  }
}
