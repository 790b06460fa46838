import { randomUUID } from 'node:crypto';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { behaviours } from './behaviour.js';
import { refusal, type ServiceContext } from './context.js';
import {
  Failure,
  streamDeleted,
  thrownByHandler,
  unexpectedReadResult,
  uuidOptionMissing,
} from './failures.js';
import { readFilter } from './filter.js';
import type { LogRecord } from './log.js';
import { Outlet, type ReadCall } from './outlet.js';
import { ReadReplies, type IdForm } from './replies.js';
import { allStart, streamName, streamStart } from './requests.js';
import { firstShown } from './stream-settings.js';
import { allSource, streamSource } from './sources.js';
import { CatchUpSubscription } from './subscription.js';

type Options = streams.ReadReq.Options;

const isBackwards = (options: Options): boolean => {
  const direction: number = options.getReadDirection();
  return direction === 1;
};

const idForm = (options: Options): IdForm =>
  options.getUuidOption()?.hasStructured() === true ? 'structured' : 'text';

/** What shows of a stream, oldest first; undefined when the stream is not there. */
const shown = (context: ServiceContext, stream: string): readonly LogRecord[] | undefined => {
  const { log, faults } = context;
  const records = log.stream(stream).filter(({ position }) => position < faults.logEnd);
  const newest = records.at(-1)?.revision ?? -1;
  const first = firstShown(log.settings(stream), newest);
  return newest < 0 || first > newest ? undefined : records.slice(first);
};

const fromStream = (records: readonly LogRecord[], options: Options): readonly LogRecord[] => {
  const stream = options.getStream();
  const from = stream === undefined ? 'start' : streamStart(stream);
  const count = Number(options.getCount());
  if (count === 0 || (from === 'end' && !isBackwards(options))) throw unexpectedReadResult('Stream', 'Error');
  if (!isBackwards(options)) {
    const first = from === 'start' || from === 'end' ? 0 : from;
    return records.filter(({ revision }) => revision >= first).slice(0, count);
  }
  const last = from === 'start' ? 0 : from === 'end' ? Infinity : from;
  const upTo = records.filter(({ revision }) => revision <= last);
  return upTo.slice(Math.max(upTo.length - count, 0)).reverse();
};

const indexOfStart = (context: ServiceContext, options: Options, length: number): number => {
  const all = options.getAll();
  const from = all === undefined ? 'start' : allStart(all);
  if (from === 'start') return 0;
  if (from === 'end') return length;
  const { commit, prepare } = from;
  if (prepare > commit) throw thrownByHandler();
  if (!context.log.isStart(commit))
    throw unexpectedReadResult('All', behaviours[context.version].readAtNoRecord);
  if (isBackwards(options) && commit > context.log.end) throw unexpectedReadResult('All', 'Error');
  return Math.min(context.log.indexFrom(commit), length);
};

/** Forwards includes what starts at the position, backwards does not. */
const fromAll = (context: ServiceContext, options: Options): readonly LogRecord[] => {
  const { log, faults, limits } = context;
  const length = faults.logEnd === Infinity ? log.records.length : log.indexFrom(faults.logEnd);
  const start = indexOfStart(context, options, length);
  const count = Number(options.getCount());
  const filter = readFilter(options.getFilter(), limits.pageSize);
  const matches = filter?.matches ?? (() => true);
  const found: LogRecord[] = [];
  const step = isBackwards(options) ? -1 : 1;
  for (let at = step === 1 ? start : start - 1; at >= 0 && at < length && found.length < count; at += step) {
    const record = log.records[at];
    if (record !== undefined && matches(record)) found.push(record);
  }
  return found;
};

const sendAll = async (
  replies: ReadReplies,
  outlet: Outlet,
  records: readonly LogRecord[],
  ids: IdForm,
): Promise<void> => {
  for (const record of records) {
    if (outlet.closed) return;
    await outlet.send(replies.event(record, ids));
  }
  outlet.end();
};

const read = async (context: ServiceContext, outlet: Outlet, options: Options): Promise<void> => {
  const replies = new ReadReplies(context.protocol);
  const stream = options.hasStream() ? streamName(options.getStream()?.getStreamIdentifier()) : undefined;
  // Real servers never answer who asks for no event of everything.
  if (stream === undefined && Number(options.getCount()) === 0) return;
  if (stream === undefined) return sendAll(replies, outlet, fromAll(context, options), idForm(options));
  if (context.log.isTombstoned(stream)) throw streamDeleted(stream);
  const records = shown(context, stream);
  if (records !== undefined) return sendAll(replies, outlet, fromStream(records, options), idForm(options));
  await outlet.send(replies.streamNotFound(stream));
  outlet.end();
};

const subscribe = async (context: ServiceContext, outlet: Outlet, options: Options): Promise<void> => {
  const stream = options.getStream();
  const all = options.getAll();
  const source =
    stream === undefined
      ? allSource(context, all === undefined ? 'start' : allStart(all), options.getFilter())
      : streamSource(context, streamName(stream.getStreamIdentifier()), streamStart(stream));
  const subscription = new CatchUpSubscription(context, outlet, source, {
    id: randomUUID(),
    ids: idForm(options),
  });
  await subscription.run();
};

const serve = async (context: ServiceContext, outlet: Outlet, call: ReadCall): Promise<void> => {
  const options = call.request.getOptions();
  const subscribes = options?.hasSubscription() ?? false;
  if (subscribes) context.counts.subscribe += 1;
  else context.counts.read += 1;
  const failure = refusal(context, subscribes ? 'subscribe' : 'read', call.metadata);
  if (failure !== undefined) throw failure;
  if (options?.hasUuidOption() !== true) throw uuidOptionMissing();
  await (subscribes ? subscribe : read)(context, outlet, options);
};

/** Reads and subscriptions, of one stream or of everything: one call on the wire. */
export const readService =
  (context: ServiceContext) =>
  (call: ReadCall): void => {
    const outlet = new Outlet(call, context.faults.gate);
    context.faults.gate.enter(() => {
      serve(context, outlet, call).catch((error: unknown) => {
        outlet.fail(error instanceof Failure ? error : thrownByHandler());
      });
    });
  };
