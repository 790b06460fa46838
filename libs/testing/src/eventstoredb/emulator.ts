import { Server, ServerCredentials } from '@grpc/grpc-js';
import { appendService } from './append-service.js';
import { batchAppendService } from './batch-append-service.js';
import { behaviours } from './behaviour.js';
import type { CallCounts, OpenSubscription, ServiceContext } from './context.js';
import { deleteService, tombstoneService } from './delete-service.js';
import { consumerTooSlow, shuttingDown, unavailable, type Failure } from './failures.js';
import { EmulatorFaults, type ServerHandle, type SubscriptionEnd } from './faults.js';
import { Gate } from './gate.js';
import { EventLog, type LogRecord } from './log.js';
import { defaultLimits, type EmulatorOptions } from './options.js';
import { LoopbackPort } from './port.js';
import { loadProtocol } from './protocol.js';
import { readService } from './read-service.js';
import { gossipService, supportedMethodsService } from './server-services.js';

/** An append and the room around it that a client may send in one message. */
const maximumMessageSize = 17 * 1024 * 1024;

const subscriptionFailures: Readonly<Record<Exclude<SubscriptionEnd, 'ended'>, () => Failure>> = {
  'shut-down': shuttingDown,
  unavailable,
  'too-slow': consumerTooSlow,
};

/** A running emulator, with what a test may look at and break. */
export class EventStoreDbEmulator {
  readonly faults: EmulatorFaults;
  readonly log: EventLog;
  readonly counts: CallCounts = { append: 0, read: 0, subscribe: 0 };
  readonly #context: ServiceContext;
  readonly #subscriptions = new Set<OpenSubscription>();
  readonly #server = new Server({
    'grpc.max_receive_message_length': maximumMessageSize,
    'grpc.max_send_message_length': maximumMessageSize,
  });
  readonly #port: LoopbackPort;
  readonly #secure: boolean;

  constructor(options: EmulatorOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const version = options.version ?? '24.2.0';
    this.log = new EventLog(limits);
    this.faults = new EmulatorFaults(this.#handle(), new Gate(limits.maximumHeld));
    this.#context = {
      protocol: loadProtocol(options.clientPackage ?? '@eventstore/db-client'),
      log: this.log,
      faults: this.faults,
      version,
      slowConsumer: options.slowConsumer ?? behaviours[version].slowConsumer,
      limits,
      credentials: options.credentials,
      counts: this.counts,
      subscriptions: this.#subscriptions,
      port: () => this.port,
    };
    this.#addServices(options.batchAppend ?? true);
    this.#secure = options.tls !== undefined;
    const connections = this.#server.createConnectionInjector(credentialsOf(options));
    this.#port = new LoopbackPort(options.port ?? 0, (socket) => connections.injectConnection(socket));
  }

  get port(): number {
    return this.#port.number;
  }

  /** What a client is given; `kurrentdb://` is as good. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}${this.#secure ? '' : '?tls=false'}`;
  }

  /** How many subscriptions are open. */
  get openSubscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Writes one of the server's own events, so that the newest of the log is nobody's. */
  writeSystemEvent(): LogRecord {
    return this.log.writeSystemEvent(`$stats-127.0.0.1:${this.port}`, '$statsCollected', { 'proc-id': 1 });
  }

  /** @throws Error when the port is taken. */
  async start(): Promise<this> {
    await this.#port.open();
    return this;
  }

  /** For good. */
  async stop(): Promise<void> {
    this.faults.reset();
    await this.#port.close();
    this.#server.forceShutdown();
  }

  #addServices(batchAppend: boolean): void {
    const { services } = this.#context.protocol;
    this.#server.addService(services.streams, {
      append: appendService(this.#context),
      batchAppend: batchAppendService(this.#context),
      read: readService(this.#context),
      delete: deleteService(this.#context),
      tombstone: tombstoneService(this.#context),
    });
    this.#server.addService(services.features, {
      getSupportedMethods: supportedMethodsService(this.#context, batchAppend),
    });
    this.#server.addService(services.gossip, { read: gossipService(this.#context) });
  }

  #handle(): ServerHandle {
    const each = (told: (subscription: OpenSubscription) => void): void => {
      for (const subscription of [...this.#subscriptions]) told(subscription);
    };
    return {
      dropConnections: () => this.#port.reset(),
      goAway: () => this.#port.close(),
      comeBack: () => this.#port.open(),
      dropSubscriptions: (end) =>
        each((subscription) => {
          if (end === 'ended') subscription.end();
          else subscription.drop(subscriptionFailures[end]());
        }),
      silenceSubscriptions: () => each((subscription) => subscription.silence()),
      resumeSubscriptions: () => each((subscription) => subscription.resume()),
    };
  }
}

const credentialsOf = ({ tls }: EmulatorOptions): ServerCredentials =>
  tls === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) },
      ]);
