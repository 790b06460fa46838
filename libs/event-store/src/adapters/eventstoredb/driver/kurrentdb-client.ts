import type * as kurrentDbClient from '@kurrent/kurrentdb-client';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { driverOver, type ClientUnderneath, type LoadedClient } from './client-driver.js';
import { proposedEvent } from './proposed-events.js';
import type { Generated } from './raw-read.js';

type AppendEvents = Parameters<KurrentDBClient['appendToStream']>[1];

/** `@kurrent/kurrentdb-client` 1.3. An optional dependency: loaded only when it is asked for. */
export const loadKurrentDbClient = async (connectionString: string): Promise<LoadedClient> => {
  const { default: clientPackage } = (await import('@kurrent/kurrentdb-client')) as unknown as {
    default: typeof kurrentDbClient;
  };
  const messages = '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1';
  const generated = {
    streams: (await importDefault(`${messages}/streams_pb.js`)) as Generated['streams'],
    shared: (await importDefault(`${messages}/shared_pb.js`)) as Generated['shared'],
    streamsClient: ((await importDefault(`${messages}/streams_grpc_pb.js`)) as Record<string, unknown>)
      .StreamsClient as Generated['streamsClient'],
  };
  return {
    open: (listener, dispose) => {
      const client = clientPackage.KurrentDBClient.connectionString(connectionString);
      const append: ClientUnderneath['append'] = (stream, events, expected) =>
        client.appendToStream(stream, events.map(proposedEvent) as unknown as AppendEvents, {
          streamState: expected,
          requiresLeader: true,
        });
      return driverOver({ client, generated, append }, listener, dispose);
    },
  };
};

const importDefault = async (module: string): Promise<unknown> =>
  ((await import(module)) as { default: unknown }).default;
