import type { EventMetadata } from '#domain';
import type { NewEvent } from '#event-store';

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

export const encodeAppend = (
  events: readonly TypedEvent[],
  metadata: EventMetadata,
  idOf: (index: number) => string,
): EncodedAppend => {
  const metadataText = JSON.stringify(metadata);
  const metadataBytes = Buffer.byteLength(metadataText);
  const encoded: NewEvent[] = [];
  const bytes: number[] = [];
  for (const [index, event] of events.entries()) {
    const data = JSON.stringify(event.data);
    encoded.push({ id: idOf(index), type: event.type, data, metadata: metadataText });
    bytes.push(Buffer.byteLength(data) + metadataBytes);
  }
  return { events: encoded, bytes };
};
