import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ClientListener } from './client-listener.js';
import { ClientLeftError } from './client-listener.js';

/** A call of the client's gRPC library, as far as it is needed here. */
export interface GrpcCall {
  on(event: string, listener: (argument: never) => void): unknown;
  listeners(event: string): unknown[];
  removeAllListeners(event: string): unknown;
  write?(...message: unknown[]): boolean;
  cancel(): void;
}

/**
 * What both clients have inside, in the exact versions that package.json pins. The names are theirs.
 * `GRPCStreamCreator` opens every call that streams and re-creates a lost channel; it is given a cache for the one
 * stream that carries all appends.
 */
interface ClientInside {
  getGRPCClient: (service: unknown, name: string) => Promise<object>;
  getChannel: () => Promise<{ close(): void }>;
  readonly callArguments: (
    options: { requiresLeader: boolean },
    callOptions: { deadline: number },
  ) => unknown[];
  GRPCStreamCreator: (
    service: unknown,
    name: string,
    open: (grpc: StreamsClient) => GrpcCall | Promise<GrpcCall>,
    cache?: WeakMap<object, unknown>,
  ) => () => Promise<GrpcCall>;
}

export interface DisposableClient {
  dispose(): Promise<void>;
}

/**
 * Makes a client safe to use and to leave:
 * - an answer that the client fails over (6.2.1 throws at a second one out of a stream handler, which would end the
 *   process) is told to the listener instead;
 * - its queue before the stream of appends is never used: what waits there when the stream breaks becomes a rejection
 *   that nobody handles. What may wait is bounded by the adapter, in appends and in text;
 * - once left, it opens no call any more. 6.2.1 keeps the answers due to all clients of a process in one table, which
 *   an error of any of them empties: an old client that wakes up would fail the appends of the new one.
 */
export class GuardedClient {
  readonly #inside: ClientInside;
  readonly #appendStreams = new Set<GrpcCall>();
  #channel: { close(): void } | undefined;
  #left = false;

  constructor(
    private readonly client: DisposableClient,
    private readonly listener: ClientListener,
    /** How long it has to end its calls when it is left. */
    private readonly disposeMilliseconds: number,
  ) {
    this.#inside = client as unknown as ClientInside;
    this.#guardOpening();
    this.#guardAppends();
  }

  /** Opens a reading call to a leader. The service's own deadline is none: the adapter has a timer. */
  open(
    service: typeof StreamsClient,
    call: (grpc: StreamsClient, callArguments: unknown[]) => GrpcCall,
  ): Promise<GrpcCall> {
    const open = this.#inside.GRPCStreamCreator(service, 'read', (grpc) =>
      call(grpc, this.#inside.callArguments({ requiresLeader: true }, { deadline: Infinity })),
    );
    return open();
  }

  /** Ends everything that is under way. Nothing of this client reaches another one afterwards. */
  async dispose(): Promise<void> {
    this.#left = true;
    // A call that is being opened in this turn is known to the client in the next one.
    await nextTurn();
    await Promise.race([
      this.client.dispose().catch(() => undefined),
      delay(this.disposeMilliseconds, undefined, { ref: false }),
    ]);
    for (const stream of this.#appendStreams) silence(stream);
    this.#closeChannel();
  }

  #guardOpening(): void {
    const { getGRPCClient, getChannel } = this.#inside;
    this.#inside.getGRPCClient = async (service, name) => {
      const grpc = await getGRPCClient(service, name);
      if (this.#left) throw new ClientLeftError('the client was left before the call was sent', false);
      return grpc;
    };
    this.#inside.getChannel = async () => {
      this.#channel = await getChannel();
      if (this.#left) this.#closeChannel();
      return this.#channel;
    };
  }

  #guardAppends(): void {
    const create = this.#inside.GRPCStreamCreator;
    this.#inside.GRPCStreamCreator = (service, name, open, cache) =>
      create(service, name, cache === undefined ? open : (grpc) => this.#guardedOnce(open(grpc)), cache);
  }

  #guardedOnce(opened: GrpcCall | Promise<GrpcCall>): GrpcCall | Promise<GrpcCall> {
    return opened instanceof Promise ? opened.then((stream) => this.#guarded(stream)) : this.#guarded(opened);
  }

  #guarded(stream: GrpcCall): GrpcCall {
    const handlers = stream.listeners('data') as ((answer: unknown) => void)[];
    stream.removeAllListeners('data');
    stream.on('data', (answer: unknown) => {
      this.listener.reply('append');
      try {
        for (const handle of handlers) handle(answer);
      } catch (error) {
        this.listener.fault(error);
      }
    });
    const write = stream.write?.bind(stream);
    if (write !== undefined)
      stream.write = (...message) => {
        write(...message);
        return true;
      };
    this.#appendStreams.add(stream);
    stream.on('close', () => this.#appendStreams.delete(stream));
    return stream;
  }

  #closeChannel(): void {
    try {
      this.#channel?.close();
    } catch {
      // The client had closed it by itself.
    }
  }
}

/** What still comes on it is nobody's. */
const silence = (stream: GrpcCall): void => {
  stream.removeAllListeners('data');
  stream.removeAllListeners('error');
  stream.on('error', () => undefined);
};
