import type * as dbClient from '@eventstore/db-client';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { ClientListener } from './client-listener.js';
import { subscribeAll } from './db-client-subscription.js';
import type { Driver } from './driver.js';
import { GuardedClient } from './guarded-client.js';
import { proposedEvent } from './proposed-events.js';
import { RawReads, type Generated } from './raw-read.js';

type AppendEvents = Parameters<EventStoreDBClient['appendToStream']>[1];

export interface LoadedClient {
  /** A fresh client. `dispose`: how long it has to end its calls when it is left, milliseconds. */
  readonly open: (listener: ClientListener, dispose: number) => Driver;
}

/** The driver over `@eventstore/db-client` 6.2.1. Loaded only when it is asked for. */
export const loadDbClient = async (connectionString: string): Promise<LoadedClient> => {
  const { default: clientPackage } = (await import('@eventstore/db-client')) as unknown as {
    default: typeof dbClient;
  };
  const generated: Generated = {
    streams: (await import('@eventstore/db-client/generated/streams_pb.js')).default,
    shared: (await import('@eventstore/db-client/generated/shared_pb.js')).default,
    streamsClient: (await import('@eventstore/db-client/generated/streams_grpc_pb.js')).default.StreamsClient,
  };
  return {
    open: (listener, dispose) =>
      driverOver(
        clientPackage.EventStoreDBClient.connectionString(connectionString),
        generated,
        listener,
        dispose,
      ),
  };
};

const driverOver = (
  client: EventStoreDBClient,
  generated: Generated,
  listener: ClientListener,
  dispose: number,
): Driver => {
  const guarded = new GuardedClient(client, listener, dispose);
  const reads = new RawReads(guarded, generated, listener);
  return {
    append: async (stream, events, expected) => {
      const { nextExpectedRevision, position } = await client.appendToStream(
        stream,
        events.map(proposedEvent) as unknown as AppendEvents,
        { expectedRevision: expected === 'none' ? 'no_stream' : expected, requiresLeader: true },
      );
      if (position === undefined) throw new Error('the server answered an append without a position');
      return { revision: nextExpectedRevision, position };
    },
    readStream: (stream, options) => reads.stream({ ...options, stream }),
    readAll: (options) => reads.all(options),
    subscribeAll: (options, subscriber) => subscribeAll(client, options, subscriber),
    dispose: () => guarded.dispose(),
  };
};
