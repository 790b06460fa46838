import { setTimeout as delay } from 'node:timers/promises';
import { LogChangedError } from '../../../errors.js';
import type { DriverEvent } from '../driver/driver.js';
import { commitMax } from '../recorded.js';
import type { SubscriptionConnection } from './connection.js';
import type { Anchor } from './places.js';
import { positionOf } from './places.js';
import type { SubscriptionTimings } from './timings.js';
import { logCheckAttempts } from './timings.js';

/**
 * A server does not refuse a position that another log gave: one version goes on with newer events, another one stays
 * silent. So the event at the position is looked at before a subscription begins there.
 * @throws LogChangedError when another event stands there, or none
 * @throws StoreUnavailableError
 */
export const checkAnchor = async (
  connection: SubscriptionConnection,
  anchor: Anchor,
  { timings, signal }: { readonly timings: SubscriptionTimings; readonly signal: AbortSignal },
): Promise<void> => {
  for (let attempt = 1; !signal.aborted; attempt++) {
    const there = await eventAt(connection, anchor);
    if (there !== undefined && (anchor.id === undefined || there.id === anchor.id)) return;
    if (attempt === logCheckAttempts) throw changed(anchor, there);
    await delay(timings.retryMax / 2, undefined, { signal, ref: false }).catch(() => undefined);
  }
};

const eventAt = async (
  connection: SubscriptionConnection,
  { position }: Anchor,
): Promise<DriverEvent | undefined> => {
  if (position.commit > commitMax) return undefined;
  try {
    const [there] = await connection.readAllRaw({ from: position, direction: 'forwards', limit: 1 });
    return there?.position.commit === position.commit ? there : undefined;
  } catch (error) {
    if (isNoRecord(error)) return undefined;
    throw error;
  }
};

/** What servers answer to a read from a position at which no record begins. */
const isNoRecord = (error: unknown): boolean =>
  error instanceof Error &&
  (/ReadAllResult: (Error|InvalidPosition)/.test(error.message) || isNoRecord(error.cause));

const changed = ({ position, id }: Anchor, there: DriverEvent | undefined): LogChangedError => {
  const expected = id === undefined ? 'an event' : `event ${id}`;
  const found = there === undefined ? 'none' : `event ${there.id}`;
  return new LogChangedError(
    `the log is another one: ${expected} was at position ${positionOf(position)}, now there is ${found}`,
  );
};
