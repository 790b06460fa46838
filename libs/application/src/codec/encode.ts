import type { NewEvent } from '#event-store';
import type { Stamp } from '../identity/stamp.js';

/** An event of any of our streams before it is stored. */
export interface TypedEvent {
  readonly type: string;
  readonly data: object;
}

/** One append in the making: each event is turned into text once, the metadata they share once for all of them. */
export interface EncodedAppend {
  readonly events: readonly NewEvent[];
  /** Bytes of UTF-8 of data and metadata, event by event. */
  readonly bytes: readonly number[];
}

export const encodeAppend = <Event extends TypedEvent>(
  events: readonly Event[],
  stamp: Stamp,
  idOf: (index: number, event: Event) => string,
): EncodedAppend => {
  const encoded: NewEvent[] = [];
  const bytes: number[] = [];
  for (const [index, event] of events.entries()) {
    const data = JSON.stringify(event.data);
    encoded.push({ id: idOf(index, event), type: event.type, data, metadata: stamp.text });
    bytes.push(Buffer.byteLength(data) + stamp.bytes);
  }
  return { events: encoded, bytes };
};
