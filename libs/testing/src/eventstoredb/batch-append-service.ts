import type { ServerDuplexStream } from '@grpc/grpc-js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { appendSize, seenAppend } from './append-service.js';
import { BatchReplies } from './batch-replies.js';
import { commit, type Append, type Expected } from './commit.js';
import { denied, failureOf, type ServiceContext } from './context.js';
import { LogFullError, type NewRecord } from './log.js';
import {
  BadRequestError,
  expectedOfBatch,
  proposedRecord,
  streamName,
  timeGiven,
  uuidText,
} from './requests.js';

type Request = streams.BatchAppendReq;
type Reply = streams.BatchAppendResp;
type Call = ServerDuplexStream<Request, Reply>;

/** An append that was begun and has not all of its events yet. */
interface Unfinished {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: NewRecord[];
  readonly timer: NodeJS.Timeout;
}

/** The many appends of one batch stream; each is answered under its own correlation id. */
class BatchStream {
  readonly #unfinished = new Map<string, Unfinished>();

  constructor(
    private readonly context: ServiceContext,
    private readonly call: Call,
  ) {}

  receive(request: Request): void {
    const options = request.getOptions();
    const id = uuidText(request.getCorrelationId());
    const stream = options
      ? streamName(options.getStreamIdentifier())
      : (this.#unfinished.get(id)?.stream ?? '');
    const replies = new BatchReplies(this.context.protocol, request.getCorrelationId(), stream);
    try {
      if (options !== undefined && !this.#begin(id, options, stream, replies)) return;
      this.#add(id, request, replies);
    } catch (error) {
      // What was begun stays so, and times out: a second answer to the same id. Real servers do that.
      if (error instanceof BadRequestError) this.#reply(replies.badRequest(error.message));
      else if (error instanceof LogFullError) this.#reply(replies.refused(error.message));
      else throw error;
    }
  }

  close(): void {
    for (const { timer } of this.#unfinished.values()) clearTimeout(timer);
    this.#unfinished.clear();
  }

  #begin(
    id: string,
    options: streams.BatchAppendReq.Options,
    stream: string,
    replies: BatchReplies,
  ): boolean {
    const now = Date.now() + this.context.faults.clockAheadMs;
    const given = Math.min(timeGiven(options, now), this.context.limits.commitTimeoutMs);
    if (denied(this.context, this.call.metadata) !== undefined) this.#reply(replies.accessDenied());
    else if (given <= 0) this.#reply(replies.timeout());
    else {
      const timer = setTimeout(() => {
        if (this.#unfinished.delete(id)) this.#reply(replies.timeout());
      }, given);
      this.#unfinished.set(id, { stream, expected: expectedOfBatch(options), events: [], timer });
      return true;
    }
    return false;
  }

  #add(id: string, request: Request, replies: BatchReplies): void {
    const unfinished = this.#unfinished.get(id);
    if (unfinished === undefined) return;
    unfinished.events.push(...request.getProposedMessagesList().map(proposedRecord));
    const { maximumAppendSize } = this.context.limits;
    if (appendSize(unfinished.events) > maximumAppendSize) {
      this.#forget(id, unfinished);
      this.#reply(replies.tooBig(maximumAppendSize));
    } else if (request.getIsFinal()) {
      this.#forget(id, unfinished);
      this.#finish(unfinished, replies);
    }
  }

  #forget(id: string, { timer }: Unfinished): void {
    clearTimeout(timer);
    this.#unfinished.delete(id);
  }

  #finish(append: Append, replies: BatchReplies): void {
    this.context.counts.append += 1;
    if (append.stream === '') throw new BadRequestError('Value cannot be null. (Parameter eventStreamId)');
    const { faults } = this.context;
    const answer = faults.takeAnswer('append');
    if (answer === 'not-ready') this.#reply(replies.refused('Server Is Not Ready'));
    else if (answer === 'not-leader' || answer === 'unavailable') this.#fail(answer);
    else {
      const committed = commit(this.context.log, append);
      const seen = seenAppend(append, 'batch');
      if (faults.takesReply(seen)) return;
      const reply = answer === 'timeout' ? replies.timeout() : replies.of(append.expected, committed);
      this.#reply(reply);
      if (faults.doublesReply(seen)) this.#reply(reply);
    }
  }

  /** Ends the whole stream: every append in it fails with this. */
  #fail(answer: 'not-leader' | 'unavailable'): void {
    this.close();
    this.context.faults.gate.leave(() => this.call.emit('error', failureOf(this.context, answer)));
  }

  #reply(reply: Reply): void {
    this.context.faults.gate.leave(() => {
      if (!this.call.cancelled && this.call.writable) this.call.write(reply);
    });
  }
}

/** Many appends over one stream in both directions, handled in the order in which they come. */
export const batchAppendService =
  (context: ServiceContext) =>
  (call: Call): void => {
    const batch = new BatchStream(context, call);
    const { gate } = context.faults;
    call.on('data', (request: Request) => gate.enter(() => batch.receive(request)));
    call.on('end', () => gate.enter(() => gate.leave(() => call.end())));
    call.on('cancelled', () => batch.close());
    // A connection that breaks is said here; the calls in it are over.
    call.on('error', () => batch.close());
  };
