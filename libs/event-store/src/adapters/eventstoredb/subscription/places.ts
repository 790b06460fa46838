import type { Position } from '../../../port.js';
import type { DriverPosition } from '../driver/driver.js';
import { commitMax } from '../recorded.js';

/** Before every position, in text order. */
export const beforeAll = '' as Position;

/** Commit and prepare position of every event that the ledger writes are the same. */
export const driverPositionOf = (position: Position): DriverPosition => {
  const place = BigInt(position);
  return { commit: place, prepare: place };
};

export const positionOf = ({ commit }: DriverPosition): Position => String(commit).padStart(20, '0');

/** The server's own streams are nobody's, although the empty prefix is one. */
export const isUnder = (prefix: string, stream: string): boolean =>
  prefix === '' ? !stream.startsWith('$') : stream.startsWith(prefix);

export const later = (one: Position, other: Position): Position => (one > other ? one : other);

/** An event of the log by which a subscription knows where it stands; the id where it is known. */
export interface Anchor {
  readonly position: DriverPosition;
  readonly id: string | undefined;
}

/**
 * Where a subscription stands: what it delivered last, the newest event it is known to have passed, and how far the
 * server says it has looked. Only the first is ever told, the last is a hint.
 */
export class Place {
  #delivered: Position;
  #anchor: Anchor | undefined;
  #scanned: DriverPosition | undefined;

  /** From the start of the log without an anchor. */
  constructor(anchor: Anchor | undefined) {
    this.#anchor = anchor;
    this.#scanned = anchor?.position;
    this.#delivered = anchor === undefined ? beforeAll : positionOf(anchor.position);
  }

  get delivered(): Position {
    return this.#delivered;
  }

  get anchor(): Anchor | undefined {
    return this.#anchor;
  }

  get scanned(): DriverPosition | 'start' {
    return this.#scanned ?? 'start';
  }

  /** The event is the consumer's now. */
  deliver(position: DriverPosition, id: string): void {
    this.#delivered = positionOf(position);
    this.pass(position, id);
  }

  /** Everything up to this event has been looked at. */
  pass(position: DriverPosition, id: string): void {
    this.scan(position);
    if (this.#anchor === undefined || position.commit >= this.#anchor.position.commit)
      this.#anchor = { position, id };
  }

  /** The server has looked this far; it says so more than once, and of catch-up only roughly. */
  scan(position: DriverPosition): void {
    // An empty log is told as looked at up to here: no event stands there ever.
    if (position.commit > commitMax) return;
    if (this.#scanned === undefined || position.commit > this.#scanned.commit) this.#scanned = position;
  }

  /** Where a session that begins anew does so: it scans from the anchor on again. */
  restart(): DriverPosition | 'start' {
    this.#scanned = this.#anchor?.position;
    return this.scanned;
  }
}
