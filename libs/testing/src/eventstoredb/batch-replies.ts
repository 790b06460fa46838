import type { Message } from 'google-protobuf';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Committed, Expected } from './commit.js';
import type { Protocol } from './protocol.js';
import { identifier } from './replies.js';

/** Codes of google's rpc status, which is how a batch append says its errors. */
const code = { unknown: 2, invalid: 3, timeout: 4, deleted: 5, wrongExpected: 6, denied: 7 } as const;

/** Every answer to one append among the many of a batch stream. */
export class BatchReplies {
  constructor(
    private readonly protocol: Protocol,
    private readonly correlation: shared.UUID | undefined,
    private readonly stream: string,
  ) {}

  of(expected: Expected, committed: Committed): streams.BatchAppendResp {
    switch (committed.outcome) {
      case 'success':
        return this.#succeeded(committed.revision, committed.position);
      case 'wrong-expected':
        return this.#wrongExpected(expected, committed.current);
      case 'deleted':
        return this.#deleted();
    }
  }

  tooBig(maximum: number): streams.BatchAppendResp {
    const details = new this.protocol.shared.MaximumAppendSizeExceeded();
    details.setMaxappendsize(maximum);
    return this.#failed(code.invalid, 'Maximum Append Size Exceeded', 'MaximumAppendSizeExceeded', details);
  }

  timeout(): streams.BatchAppendResp {
    return this.#failed(code.timeout, 'Timeout', 'Timeout', new this.protocol.shared.Timeout());
  }

  badRequest(message: string): streams.BatchAppendResp {
    const details = new this.protocol.shared.BadRequest();
    details.setMessage(message);
    return this.#failed(code.invalid, 'BadRequest', 'BadRequest', details);
  }

  accessDenied(): streams.BatchAppendResp {
    const details = new this.protocol.shared.AccessDenied();
    return this.#failed(code.denied, 'Access Denied', 'AccessDenied', details);
  }

  /** An error without a name, of which clients only know the message. */
  refused(message: string): streams.BatchAppendResp {
    const details = new this.protocol.empty.Empty();
    return this.#failed(0, message, 'google.protobuf.Empty', details);
  }

  #succeeded(revision: number, position: number): streams.BatchAppendResp {
    const at = new this.protocol.shared.AllStreamPosition();
    at.setCommitPosition(String(position));
    at.setPreparePosition(String(position));
    const success = new this.protocol.streams.BatchAppendResp.Success();
    success.setCurrentRevision(String(revision));
    success.setPosition(at);
    const reply = this.#reply();
    reply.setSuccess(success);
    return reply;
  }

  #wrongExpected(expected: Expected, current: number): streams.BatchAppendResp {
    const details = new this.protocol.shared.WrongExpectedVersion();
    const nothing = new this.protocol.empty.Empty();
    if (current < 0) details.setCurrentNoStream(nothing);
    else details.setCurrentStreamRevision(String(current));
    if (expected === 'any') details.setExpectedAny(nothing);
    else if (expected === 'no_stream') details.setExpectedNoStream(nothing);
    else if (expected === 'stream_exists') details.setExpectedStreamExists(nothing);
    else details.setExpectedStreamPosition(String(expected));
    return this.#failed(code.wrongExpected, 'WrongExpectedVersion', 'WrongExpectedVersion', details);
  }

  #deleted(): streams.BatchAppendResp {
    const details = new this.protocol.shared.StreamDeleted();
    details.setStreamIdentifier(identifier(this.protocol, this.stream));
    return this.#failed(code.deleted, 'StreamDeleted', 'StreamDeleted', details);
  }

  #failed(number: number, message: string, name: string, details: Message): streams.BatchAppendResp {
    const packed = new this.protocol.any.Any();
    const typeName = name.includes('.') ? name : `event_store.client.${name}`;
    packed.pack(details.serializeBinary(), typeName);
    const error = new this.protocol.status.Status();
    // The enumeration of codes is empty in the types of one package; on the wire it is a number.
    (error as unknown as { setCode(value: number): void }).setCode(number);
    error.setMessage(message);
    error.setDetails(packed);
    const reply = this.#reply();
    reply.setError(error);
    return reply;
  }

  #reply(): streams.BatchAppendResp {
    const reply = new this.protocol.streams.BatchAppendResp();
    reply.setCorrelationId(this.correlation);
    reply.setStreamIdentifier(identifier(this.protocol, this.stream));
    return reply;
  }
}
