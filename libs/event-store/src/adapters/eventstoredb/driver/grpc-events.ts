import type { DriverEvent } from './driver.js';

/** An event as the generated code of both clients has it. */
export interface GrpcRecord {
  getId(): { getString(): string } | undefined;
  getStreamIdentifier(): { getStreamName_asU8(): Uint8Array } | undefined;
  getStreamRevision(): string;
  getPreparePosition(): string;
  getCommitPosition(): string;
  getMetadataMap(): { get(key: string): string | undefined };
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}

export interface GrpcReadEvent {
  getEvent(): GrpcRecord | undefined;
  getLink(): GrpcRecord | undefined;
}

const ticksPerMillisecond = 10_000n;

/**
 * The record itself, a link as the link that it is (nothing here asks for links to be resolved). The bodies stay the
 * text that was stored: the clients parse them, and what was parsed is not always what was written.
 */
export const driverEventOf = (read: GrpcReadEvent): DriverEvent => {
  const record = read.getLink() ?? read.getEvent();
  if (record === undefined) throw new Error('the server sent an event without a record');
  const tags = record.getMetadataMap();
  return {
    stream: utf8(record.getStreamIdentifier()?.getStreamName_asU8()),
    revision: BigInt(record.getStreamRevision()),
    position: { commit: BigInt(record.getCommitPosition()), prepare: BigInt(record.getPreparePosition()) },
    id: record.getId()?.getString() ?? '',
    type: tags.get('type') ?? '',
    data: utf8(record.getData_asU8()),
    metadata: utf8(record.getCustomMetadata_asU8()),
    created: new Date(Number(BigInt(tags.get('created') ?? '0') / ticksPerMillisecond)),
  };
};

const utf8 = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
