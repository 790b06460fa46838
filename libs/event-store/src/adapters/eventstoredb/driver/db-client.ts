import type * as dbClient from '@eventstore/db-client';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { driverOver, type ClientUnderneath, type LoadedClient } from './client-driver.js';
import { proposedEvent } from './proposed-events.js';
import type { Generated } from './raw-read.js';

type AppendEvents = Parameters<EventStoreDBClient['appendToStream']>[1];

/** `@eventstore/db-client` 6.2.1. Loaded only when it is asked for. */
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
    open: (listener, dispose) => {
      const client = clientPackage.EventStoreDBClient.connectionString(connectionString);
      const append: ClientUnderneath['append'] = (stream, events, expected) =>
        client.appendToStream(stream, events.map(proposedEvent) as unknown as AppendEvents, {
          expectedRevision: expected,
          requiresLeader: true,
        });
      return driverOver({ client, generated, append }, listener, dispose);
    },
  };
};
