import { type sendUnaryData, type ServerReadableStream } from '@grpc/grpc-js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { commit, type Append } from './commit.js';
import { denied, failureOf, type ServiceContext } from './context.js';
import { appendTooBig, Failure, logFull, streamDeleted, thrownByHandler } from './failures.js';
import type { SeenAppend } from './faults.js';
import { LogFullError, type NewRecord } from './log.js';
import { appendSucceeded, appendWrongExpected } from './replies.js';
import { BadRequestError, expectedOf, proposedRecord, streamName } from './requests.js';

type Call = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
type Reply = sendUnaryData<streams.AppendResp>;

/** The bytes that count against the limit of an append: data only. */
export const appendSize = (events: readonly NewRecord[]): number =>
  events.reduce((sum, { data }) => sum + data.length, 0);

export const seenAppend = ({ stream, events }: Append, path: SeenAppend['path']): SeenAppend => ({
  stream,
  eventTypes: events.map(({ type }) => type),
  path,
});

const failureFrom = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  return error instanceof LogFullError ? logFull(error.message) : thrownByHandler();
};

const appendOf = (
  context: ServiceContext,
  options: streams.AppendReq.Options | undefined,
  events: readonly NewRecord[],
): Append => {
  const stream = streamName(options?.getStreamIdentifier());
  if (stream === '') throw new BadRequestError('Value cannot be null. (Parameter eventStreamId)');
  const { maximumAppendSize } = context.limits;
  if (appendSize(events) > maximumAppendSize) throw appendTooBig(maximumAppendSize);
  return { stream, expected: expectedOf(options), events };
};

const written = (context: ServiceContext, append: Append): streams.AppendResp => {
  const committed = commit(context.log, append);
  switch (committed.outcome) {
    case 'success':
      return appendSucceeded(context.protocol, committed);
    case 'wrong-expected':
      return appendWrongExpected(context.protocol, append.expected, committed);
    case 'deleted':
      throw streamDeleted(append.stream);
  }
};

const answered = (
  context: ServiceContext,
  append: Append,
  reply: (message: streams.AppendResp) => void,
): void => {
  const answer = context.faults.takeAnswer('append');
  if (answer !== undefined && answer !== 'timeout') throw failureOf(context, answer);
  const message = written(context, append);
  if (answer !== undefined) throw failureOf(context, answer);
  if (!context.faults.takesReply(seenAppend(append, 'classic'))) reply(message);
};

/**
 * Every second classic append waits for a turn: a real server handles them side by side, so that one sent after another
 * may be decided before it.
 */
const inSomeOrder = (turn: number, work: () => void): void => {
  if (turn % 2 === 0) work();
  else setImmediate(work);
};

/** The classic append: options first, then one event a message, one reply. */
export const appendService =
  (context: ServiceContext) =>
  (call: Call, callback: Reply): void => {
    let options: streams.AppendReq.Options | undefined;
    const proposed: streams.AppendReq.ProposedMessage[] = [];
    const { gate } = context.faults;
    const finish = (): void => {
      try {
        const failure = denied(context, call.metadata);
        if (failure !== undefined) throw failure;
        const append = appendOf(context, options, proposed.map(proposedRecord));
        answered(context, append, (message) => gate.leave(() => callback(null, message)));
      } catch (error) {
        gate.leave(() => callback(failureFrom(error)));
      }
    };
    call.on('data', (message: streams.AppendReq) => {
      if (message.hasOptions()) options = message.getOptions();
      const event = message.getProposedMessage();
      if (event !== undefined) proposed.push(event);
    });
    call.on('end', () => {
      context.counts.append += 1;
      inSomeOrder(context.counts.append, () => gate.enter(finish));
    });
  };
