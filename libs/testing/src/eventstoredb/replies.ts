import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Committed, Expected } from './commit.js';
import type { LogRecord } from './log.js';
import type { Protocol } from './protocol.js';
import type { WirePosition } from './requests.js';
import { tombstoneRevision } from './stream-settings.js';

/** Created is told in ticks of 100 ns. */
const ticksPerMillisecond = 10_000n;

const revisionText = (revision: number): string =>
  revision === tombstoneRevision ? '9223372036854775807' : String(revision);

/** A number below 0 on a wire that knows none. */
const unsigned = (number: number): string => String(BigInt.asUintN(64, BigInt(number)));

/** How the caller of a read wants ids. */
export type IdForm = 'text' | 'structured';

/** What reads and subscriptions answer, as messages of the package. */
export class ReadReplies {
  constructor(private readonly protocol: Protocol) {}

  event(record: LogRecord, ids: IdForm): streams.ReadResp {
    const { ReadResp } = this.protocol.streams;
    const event = new ReadResp.ReadEvent();
    event.setEvent(this.#recorded(record, ids));
    event.setCommitPosition(String(record.position));
    const reply = new ReadResp();
    reply.setEvent(event);
    return reply;
  }

  streamNotFound(stream: string): streams.ReadResp {
    const { ReadResp } = this.protocol.streams;
    const missing = new ReadResp.StreamNotFound();
    missing.setStreamIdentifier(identifier(this.protocol, stream));
    const reply = new ReadResp();
    reply.setStreamNotFound(missing);
    return reply;
  }

  confirmation(subscriptionId: string): streams.ReadResp {
    const { ReadResp } = this.protocol.streams;
    const confirmation = new ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId(subscriptionId);
    const reply = new ReadResp();
    reply.setConfirmation(confirmation);
    return reply;
  }

  checkpoint({ commit, prepare }: WirePosition): streams.ReadResp {
    const { ReadResp } = this.protocol.streams;
    const checkpoint = new ReadResp.Checkpoint();
    checkpoint.setCommitPosition(unsigned(commit));
    checkpoint.setPreparePosition(unsigned(prepare));
    const reply = new ReadResp();
    reply.setCheckpoint(checkpoint);
    return reply;
  }

  caughtUp(): streams.ReadResp {
    const { ReadResp } = this.protocol.streams;
    const reply = new ReadResp();
    reply.setCaughtUp(new ReadResp.CaughtUp());
    return reply;
  }

  #recorded(record: LogRecord, ids: IdForm): streams.ReadResp.ReadEvent.RecordedEvent {
    const recorded = new this.protocol.streams.ReadResp.ReadEvent.RecordedEvent();
    recorded.setId(uuid(this.protocol, record.id, ids));
    recorded.setStreamIdentifier(identifier(this.protocol, record.stream));
    recorded.setStreamRevision(revisionText(record.revision));
    recorded.setPreparePosition(String(record.position));
    recorded.setCommitPosition(String(record.position));
    const metadata = recorded.getMetadataMap();
    metadata.set('type', record.type);
    metadata.set('content-type', record.isJson ? 'application/json' : 'application/octet-stream');
    metadata.set('created', String(BigInt(record.created) * ticksPerMillisecond));
    recorded.setCustomMetadata(record.metadata);
    recorded.setData(record.data);
    return recorded;
  }
}

export const identifier = (protocol: Protocol, stream: string): shared.StreamIdentifier => {
  const named = new protocol.shared.StreamIdentifier();
  named.setStreamName(new TextEncoder().encode(stream));
  return named;
};

const uuid = (protocol: Protocol, text: string, form: IdForm): shared.UUID => {
  const id = new protocol.shared.UUID();
  if (form === 'text') {
    id.setString(text);
    return id;
  }
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  const structured = new protocol.shared.UUID.Structured();
  structured.setMostSignificantBits(String(bytes.readBigInt64BE(0)));
  structured.setLeastSignificantBits(String(bytes.readBigInt64BE(8)));
  id.setStructured(structured);
  return id;
};

type Succeeded = Extract<Committed, { outcome: 'success' }>;
type WrongExpected = Extract<Committed, { outcome: 'wrong-expected' }>;

/** The reply of a classic append that was written, now or before. */
export const appendSucceeded = (
  protocol: Protocol,
  { revision, position }: Succeeded,
): streams.AppendResp => {
  const { AppendResp } = protocol.streams;
  const at = new AppendResp.Position();
  at.setCommitPosition(String(position));
  at.setPreparePosition(String(position));
  const success = new AppendResp.Success();
  success.setCurrentRevision(revisionText(revision));
  success.setPosition(at);
  const reply = new AppendResp();
  reply.setSuccess(success);
  return reply;
};

/** The classic append says a wrong revision in a reply that is no error. */
export const appendWrongExpected = (
  protocol: Protocol,
  expected: Expected,
  { current }: WrongExpected,
): streams.AppendResp => {
  const { AppendResp } = protocol.streams;
  const wrong = new AppendResp.WrongExpectedVersion();
  const nothing = new protocol.shared.Empty();
  if (current < 0) wrong.setCurrentNoStream(nothing);
  else wrong.setCurrentRevision(revisionText(current));
  if (expected === 'any') wrong.setExpectedAny(nothing);
  else if (expected === 'no_stream') wrong.setExpectedNoStream(nothing);
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(nothing);
  else wrong.setExpectedRevision(String(expected));
  const reply = new AppendResp();
  reply.setWrongExpectedVersion(wrong);
  return reply;
};
