import type { EventMetadata } from '#domain';

/** Metadata as it stands beside events, turned into text once for all that share it. */
export interface Stamp {
  readonly metadata: EventMetadata;
  readonly text: string;
  /** Of UTF-8. */
  readonly bytes: number;
}

export const stampOf = (metadata: EventMetadata): Stamp => {
  const text = JSON.stringify(metadata);
  return { metadata, text, bytes: Buffer.byteLength(text) };
};
