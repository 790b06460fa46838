import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { decide, metadataEvent, type Expected } from './commit.js';
import { refusal, type ServiceContext } from './context.js';
import { deleteRefused, Failure, streamDeleted, thrownByHandler } from './failures.js';
import { expectedOf, streamName } from './requests.js';
import { softDeletion } from './stream-settings.js';

type DeleteCall = ServerUnaryCall<streams.DeleteReq, streams.DeleteResp>;
type TombstoneCall = ServerUnaryCall<streams.TombstoneReq, streams.TombstoneResp>;

const mayDelete = (context: ServiceContext, stream: string, expected: Expected): void => {
  const { log } = context;
  if (log.isTombstoned(stream)) throw streamDeleted(stream);
  const current = log.currentRevision(stream);
  const exact = expected === 'no_stream' ? -1 : expected;
  const wrong =
    typeof exact === 'number'
      ? exact !== current
      : decide(log, { stream, expected, events: [] }).kind !== 'write';
  if (wrong) throw deleteRefused(stream, expected, current);
};

const softDelete = (context: ServiceContext, stream: string): number => {
  const [record] = context.log.write(`$$${stream}`, [metadataEvent(softDeletion())]);
  return record?.position ?? 0;
};

const tombstone = (context: ServiceContext, stream: string): number => {
  const event = { ...metadataEvent(new Uint8Array()), type: '$streamDeleted' };
  const [record] = context.log.write(stream, [event], { tombstone: true });
  return record?.position ?? 0;
};

type Options = streams.DeleteReq.Options | streams.TombstoneReq.Options | undefined;

const answer = <Reply>(
  context: ServiceContext,
  call: { readonly metadata: DeleteCall['metadata'] },
  callback: sendUnaryData<Reply>,
  work: () => Reply,
): void => {
  const { gate } = context.faults;
  gate.enter(() => {
    try {
      const failure = refusal(context, 'append', call.metadata);
      if (failure !== undefined) throw failure;
      const reply = work();
      gate.leave(() => callback(null, reply));
    } catch (error) {
      gate.leave(() => callback(error instanceof Failure ? error : thrownByHandler()));
    }
  });
};

const deleted = (
  context: ServiceContext,
  options: Options,
  how: (context: ServiceContext, stream: string) => number,
): string => {
  const stream = streamName(options?.getStreamIdentifier());
  mayDelete(context, stream, expectedOf(options));
  return String(how(context, stream));
};

/** Softly: the stream shows nothing more, and goes on when somebody appends. */
export const deleteService =
  (context: ServiceContext) =>
  (call: DeleteCall, callback: sendUnaryData<streams.DeleteResp>): void =>
    answer(context, call, callback, () => {
      const { DeleteResp } = context.protocol.streams;
      const position = new DeleteResp.Position();
      const at = deleted(context, call.request.getOptions(), softDelete);
      position.setCommitPosition(at);
      position.setPreparePosition(at);
      const reply = new DeleteResp();
      reply.setPosition(position);
      return reply;
    });

/** For ever. */
export const tombstoneService =
  (context: ServiceContext) =>
  (call: TombstoneCall, callback: sendUnaryData<streams.TombstoneResp>): void =>
    answer(context, call, callback, () => {
      const { TombstoneResp } = context.protocol.streams;
      const position = new TombstoneResp.Position();
      const at = deleted(context, call.request.getOptions(), tombstone);
      position.setCommitPosition(at);
      position.setPreparePosition(at);
      const reply = new TombstoneResp();
      reply.setPosition(position);
      return reply;
    });
