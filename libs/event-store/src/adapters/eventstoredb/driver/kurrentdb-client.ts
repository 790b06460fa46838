import type * as kurrentDbClient from '@kurrent/kurrentdb-client';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import type { ClientListener } from './client-listener.js';
import type { LoadedClient } from './db-client.js';
import type { Driver } from './driver.js';
import { GuardedClient } from './guarded-client.js';
import { subscribeAll } from './kurrentdb-client-subscription.js';
import { proposedEvent } from './proposed-events.js';
import { RawReads, type Generated } from './raw-read.js';

type AppendEvents = Parameters<KurrentDBClient['appendToStream']>[1];

/** The driver over `@kurrent/kurrentdb-client` 1.3. An optional dependency: loaded only when it is asked for. */
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
    open: (listener, dispose) =>
      driverOver(
        clientPackage.KurrentDBClient.connectionString(connectionString),
        generated,
        listener,
        dispose,
      ),
  };
};

const importDefault = async (module: string): Promise<unknown> =>
  ((await import(module)) as { default: unknown }).default;

const driverOver = (
  client: KurrentDBClient,
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
        { streamState: expected === 'none' ? 'no_stream' : expected, requiresLeader: true },
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
