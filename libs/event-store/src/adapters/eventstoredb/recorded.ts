import type { Position, RecordedEvent } from '../../port.js';
import type { DriverEvent, DriverPosition } from './driver/driver.js';

/** The greatest position that a log can have: the server counts in 64 bits with a sign, and says -1 for none. */
export const commitMax = 2n ** 63n - 1n;

/**
 * The port's position of an event is its commit position in 20 digits. It equals the prepare position of everything but
 * the events of an explicit transaction, which no client can write any more.
 */
export const positionOf = ({ commit, prepare }: DriverPosition, what = 'an event'): Position => {
  if (commit > commitMax) throw new Error(`${what} came without a position`);
  if (commit !== prepare)
    throw new Error(
      `${what} stands at commit position ${String(commit)} and prepare position ${String(prepare)}: it was written in a transaction, which this store cannot follow`,
    );
  return String(commit).padStart(positionDigits, '0');
};

const positionDigits = 20;

export const recordedEvent = (event: DriverEvent): RecordedEvent => ({
  stream: event.stream,
  revision: Number(event.revision),
  position: positionOf(event.position, `event ${event.id} of stream ${event.stream}`),
  id: event.id,
  type: event.type,
  data: event.data,
  metadata: event.metadata,
  created: event.created.toISOString(),
});

/** Where a position stands in the log of a server: nowhere below the first event, nowhere beyond the last, or there. */
export const placeOf = (position: Position): DriverPosition | 'before-all' | 'beyond-all' => {
  const commit = BigInt(position);
  if (commit === 0n) return 'before-all';
  return commit > commitMax ? 'beyond-all' : { commit, prepare: commit };
};
