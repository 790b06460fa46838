import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Expected } from './commit.js';
import type { NewRecord } from './log.js';

type BatchOptions = streams.BatchAppendReq.Options;
type RevisionOptions = streams.AppendReq.Options | streams.DeleteReq.Options | streams.TombstoneReq.Options;
type Proposed = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

/** What the request lacks or has wrong, in the server's words. */
export class BadRequestError extends Error {}

export const streamName = (identifier: shared.StreamIdentifier | undefined): string =>
  new TextDecoder().decode(identifier?.getStreamName_asU8() ?? new Uint8Array());

/** Ids come as text or as two signed halves. */
export const uuidText = (uuid: shared.UUID | undefined): string => {
  if (uuid === undefined) return '';
  const structured = uuid.hasStructured() ? uuid.getStructured() : undefined;
  if (structured === undefined) return uuid.getString();
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt(structured.getMostSignificantBits()), 0);
  bytes.writeBigInt64BE(BigInt(structured.getLeastSignificantBits()), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** @throws BadRequestError when it says nothing about the revision. */
export const expectedOf = (options: RevisionOptions | undefined): Expected => {
  if (options?.hasAny()) return 'any';
  if (options?.hasNoStream()) return 'no_stream';
  if (options?.hasStreamExists()) return 'stream_exists';
  if (options?.hasRevision()) return Number(options.getRevision());
  throw new BadRequestError('no expected revision');
};

/** @throws BadRequestError when it says nothing about the revision. */
export const expectedOfBatch = (options: BatchOptions): Expected => {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  if (options.hasStreamPosition()) return Number(options.getStreamPosition());
  throw new BadRequestError('no expected position');
};

/** What a client of either package says of the time it gives an append. */
interface Timestamp {
  toDate(): Date;
}
interface Duration {
  getSeconds(): number;
  getNanos(): number;
}
interface DeadlineOptions {
  /** A point in time in the older package, a duration in the newer one. */
  getDeadline(): Timestamp | Duration | undefined;
  /** The point in time, as the newer package calls it. */
  getDeadline21100?(): Timestamp | undefined;
}

const millisecondsUntil = (deadline: Timestamp | Duration, now: number): number =>
  'toDate' in deadline
    ? deadline.toDate().getTime() - now
    : deadline.getSeconds() * 1000 + deadline.getNanos() / 1_000_000;

/** How long the append may take by its caller's will, in milliseconds; Infinity when it does not say. */
export const timeGiven = (options: BatchOptions, now: number): number => {
  const both = options as unknown as DeadlineOptions;
  const deadline = both.getDeadline() ?? both.getDeadline21100?.();
  return deadline === undefined ? Infinity : millisecondsUntil(deadline, now);
};

const contentTypes: Readonly<Record<string, boolean>> = {
  'application/json': true,
  'application/octet-stream': false,
};

/** @throws BadRequestError when the type is empty, or type or content type is missing. */
export const proposedRecord = (message: Proposed): NewRecord => {
  const metadata = message.getMetadataMap();
  const type = metadata.get('type');
  const isJson = contentTypes[metadata.get('content-type') ?? ''];
  if (type === undefined || type === '')
    throw new BadRequestError('Value cannot be null. (Parameter eventType)');
  if (isJson === undefined) throw new BadRequestError('The given content type is not known.');
  return {
    id: uuidText(message.getId()),
    type,
    isJson,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
};

export interface WirePosition {
  readonly commit: number;
  readonly prepare: number;
}

/** Where a read or subscription of a stream begins. */
export const streamStart = (options: streams.ReadReq.Options.StreamOptions): number | 'start' | 'end' => {
  if (options.hasStart()) return 'start';
  return options.hasEnd() ? 'end' : Number(options.getRevision());
};

/** Where a read or subscription of everything begins. */
export const allStart = (options: streams.ReadReq.Options.AllOptions): WirePosition | 'start' | 'end' => {
  const position = options.hasPosition() ? options.getPosition() : undefined;
  if (position === undefined) return options.hasEnd() ? 'end' : 'start';
  return { commit: Number(position.getCommitPosition()), prepare: Number(position.getPreparePosition()) };
};
