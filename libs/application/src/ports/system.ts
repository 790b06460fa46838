import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Ids } from './clock.js';

export const systemClock: Clock = { now: () => Date.now() };

const sequenceMax = 0xfff;
const randomPool = { bytes: randomBytes(4_096), used: 0 };

/** 62 random bits a call; the system is asked once for 512 of them, for one call of it costs more than the rest. */
const randomTail = (): Buffer => {
  if (randomPool.used + 8 > randomPool.bytes.length) {
    randomPool.bytes = randomBytes(4_096);
    randomPool.used = 0;
  }
  const tail = randomPool.bytes.subarray(randomPool.used, randomPool.used + 8);
  randomPool.used += 8;
  return tail;
};

/** UUIDv7 (RFC 9562 5.7, method 1): ids of one process rise, also within a millisecond and when the clock steps back. */
export class RisingIds {
  #milliseconds = 0;
  #sequence = 0;
  #timeOf = -1;
  #timeText = '';

  constructor(private readonly clock: Clock) {}

  next(): string {
    const now = this.clock.now();
    if (now > this.#milliseconds) {
      this.#milliseconds = now;
      this.#sequence = 0;
    } else if (this.#sequence < sequenceMax) {
      this.#sequence += 1;
    } else {
      this.#milliseconds += 1;
      this.#sequence = 0;
    }
    return this.#format(randomTail());
  }

  /** Made once a millisecond. */
  #time(): string {
    if (this.#timeOf !== this.#milliseconds) {
      const hex = this.#milliseconds.toString(16).padStart(12, '0');
      this.#timeText = `${hex.slice(0, 8)}-${hex.slice(8)}`;
      this.#timeOf = this.#milliseconds;
    }
    return this.#timeText;
  }

  #format(tail: Buffer): string {
    const time = this.#time();
    const sequence = this.#sequence.toString(16).padStart(3, '0');
    const variant = ((tail[0] ?? 0) & 0x3f) | 0x80;
    const rest = tail.toString('hex', 1, 8);
    const clockPart = variant.toString(16) + rest.slice(0, 2);
    return `${time}-7${sequence}-${clockPart}-${rest.slice(2)}`;
  }
}

const rising = new RisingIds(systemClock);

export const systemIds: Ids = {
  taskId: () => rising.next(),
  uuid: () => randomUUID(),
  random: () => Math.random(),
};
