import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import type * as streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientListener } from './client-listener.js';
import type { DriverCall, DriverEvent, DriverPosition, DriverRead } from './driver.js';
import { driverEventOf } from './grpc-events.js';
import type { GrpcCall, GuardedClient } from './guarded-client.js';

/** The generated code of a client; that of both has the same shape. */
export interface Generated {
  readonly streams: Omit<typeof streamMessages, 'default'>;
  readonly shared: Omit<typeof sharedMessages, 'default'>;
  readonly streamsClient: typeof StreamsClient;
}

type Options = streamMessages.ReadReq.Options;
type Answer = streamMessages.ReadResp;

export type StreamRead = DriverRead & { readonly stream: string; readonly from: bigint | 'start' | 'end' };
export type AllRead = DriverRead & {
  readonly from: DriverPosition | 'start' | 'end';
  readonly prefix?: string;
};

/** The server's own streams begin with a dollar. */
const ownStreams = '^[^$]';

/**
 * Reads of the v1 protocol over a client's own connection. The clients' reads would parse the bodies, which is neither
 * wanted nor free; 6.2.1 cannot filter a read; 1.3.1 cannot cancel one and tells every error as `unavailable`.
 */
export class RawReads {
  constructor(
    private readonly client: GuardedClient,
    private readonly generated: Generated,
    private readonly listener: ClientListener,
  ) {}

  stream({ stream, from, ...read }: StreamRead): DriverCall<readonly DriverEvent[]> {
    const { streams, shared } = this.generated;
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(Uint8Array.from(Buffer.from(stream, 'utf8')));
    const ofStream = new streams.ReadReq.Options.StreamOptions();
    ofStream.setStreamIdentifier(identifier);
    if (from === 'start') ofStream.setStart(new shared.Empty());
    else if (from === 'end') ofStream.setEnd(new shared.Empty());
    else ofStream.setRevision(String(from));
    const options = new streams.ReadReq.Options();
    options.setStream(ofStream);
    options.setNoFilter(new shared.Empty());
    return this.#read(options, read);
  }

  all({ from, prefix, ...read }: AllRead): DriverCall<readonly DriverEvent[]> {
    const { streams, shared } = this.generated;
    const ofAll = new streams.ReadReq.Options.AllOptions();
    if (from === 'start') ofAll.setStart(new shared.Empty());
    else if (from === 'end') ofAll.setEnd(new shared.Empty());
    else {
      const position = new streams.ReadReq.Options.Position();
      position.setCommitPosition(String(from.commit));
      position.setPreparePosition(String(from.prepare));
      ofAll.setPosition(position);
    }
    const options = new streams.ReadReq.Options();
    options.setAll(ofAll);
    if (prefix === undefined) options.setNoFilter(new shared.Empty());
    else options.setFilter(this.#filter(prefix));
    return this.#read(options, read);
  }

  #filter(prefix: string): streamMessages.ReadReq.Options.FilterOptions {
    const { streams, shared } = this.generated;
    const expression = new streams.ReadReq.Options.FilterOptions.Expression();
    if (prefix === '') expression.setRegex(ownStreams);
    else expression.setPrefixList([prefix]);
    const filter = new streams.ReadReq.Options.FilterOptions();
    filter.setStreamIdentifier(expression);
    filter.setCount(new shared.Empty());
    filter.setCheckpointintervalmultiplier(1);
    return filter;
  }

  #read(options: Options, { direction, limit }: DriverRead): DriverCall<readonly DriverEvent[]> {
    const { streams, shared } = this.generated;
    const uuids = new streams.ReadReq.Options.UUIDOption();
    uuids.setString(new shared.Empty());
    options.setUuidOption(uuids);
    const { FORWARDS, BACKWARDS } = streams.ReadReq.Options.ReadDirection;
    options.setReadDirection(direction === 'backwards' ? BACKWARDS : FORWARDS);
    options.setResolveLinks(false);
    options.setCount(String(limit));
    const request = new streams.ReadReq();
    request.setOptions(options);
    return this.#call(request);
  }

  #call(request: streamMessages.ReadReq): DriverCall<readonly DriverEvent[]> {
    let call: GrpcCall | undefined;
    let over = false;
    const cancel = (): void => {
      if (over) return;
      over = true;
      call?.cancel();
    };
    const answer = (async () => {
      call = await this.#open(request);
      if (over) call.cancel();
      return eventsOf(call, () => this.listener.reply('read'));
    })();
    const finish = (): void => {
      over = true;
    };
    answer.then(finish, finish);
    return { answer, cancel };
  }

  #open(request: streamMessages.ReadReq): Promise<GrpcCall> {
    return this.client.open(this.generated.streamsClient, (grpc, given) =>
      (grpc.read as unknown as (...all: unknown[]) => GrpcCall).call(grpc, request, ...given),
    );
  }
}

/** Everything that comes. A stream that is not there is an empty one. */
const eventsOf = (call: GrpcCall, reply: () => void): Promise<readonly DriverEvent[]> =>
  new Promise((resolve, reject) => {
    const events: DriverEvent[] = [];
    let failed = false;
    const fail = (error: unknown): void => {
      failed = true;
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    call.on('error', fail);
    // It comes after an error too, when the call was cancelled without a word of the server.
    call.on('end', () => {
      if (failed) return;
      reply();
      resolve(events);
    });
    call.on('data', (answer: Answer) => {
      reply();
      try {
        const event = answer.getEvent();
        if (event !== undefined) events.push(driverEventOf(event));
      } catch (error) {
        fail(error);
        call.cancel();
      }
    });
  });
