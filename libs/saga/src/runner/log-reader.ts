import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { LedgerLogger } from '#application';
import { LogChangedError, type EventStore, type Position, type RecordedEvent } from '#event-store';
import { textOf } from '../work/calls.js';
import { beforeAll } from './checkpoint.js';

/** Pause before the log is followed anew, should a subscription end in spite of its promise. Milliseconds. */
const resumePauseMs = 250;

export interface LogReaderParts {
  readonly store: EventStore;
  readonly prefix: string;
  readonly logger: LedgerLogger;
  readonly signal: AbortSignal;
  /** Another log stands where this one stood: nothing more is read. */
  readonly changed: () => void;
  /** Events after the last ones taken, in the order of the log. The next ones are read when it answers. */
  readonly take: (events: readonly RecordedEvent[]) => Promise<void>;
}

/** Follows the log from `from` on until the signal fires. */
export const readLog = async (from: Position, parts: LogReaderParts): Promise<void> => {
  const { store, prefix, signal, logger } = parts;
  let position = from;
  const take = async (delivered: readonly RecordedEvent[]): Promise<void> => {
    const events = delivered.filter((event) => event.position > position);
    position = events.at(-1)?.position ?? position;
    if (events.length > 0) await parts.take(events);
    await nextTurn();
  };
  while (!signal.aborted) {
    try {
      const after = position === beforeAll ? 'start' : position;
      for await (const message of store.subscribe({ from: after, prefix, signal }))
        if (message.kind === 'events' && !signal.aborted) await take(message.events);
    } catch (error) {
      logger.warn({ position, error: textOf(error) }, 'the saga was interrupted and follows the log again');
      if (error instanceof LogChangedError) {
        parts.changed();
        return;
      }
    }
    // An aborted wait is the end, not a failure.
    await delay(resumePauseMs, undefined, { signal }).catch(() => undefined);
  }
};
