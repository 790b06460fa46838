import { createRequire } from 'node:module';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import type * as status from '@eventstore/db-client/generated/status_pb.js';
import type * as features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type * as gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type * as any from 'google-protobuf/google/protobuf/any_pb.js';
import type * as empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { ClientPackage } from './options.js';

type Service = ServiceDefinition;

/** The messages and services as a client's own package defines them. */
export interface Protocol {
  readonly streams: typeof streams;
  readonly shared: typeof shared;
  readonly status: typeof status;
  readonly features: typeof features;
  readonly gossip: typeof gossip;
  readonly any: typeof any;
  readonly empty: typeof empty;
  readonly services: { readonly streams: Service; readonly features: Service; readonly gossip: Service };
}

const generatedFolders: Readonly<Record<ClientPackage, string>> = {
  '@eventstore/db-client': '@eventstore/db-client/generated',
  '@kurrent/kurrentdb-client': '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1',
};

/**
 * Loads the generated code of one package. The messages of google's own come from the copy that the package itself
 * uses: a message of another copy is not serialised.
 *
 * @throws Error when the package is not installed.
 */
export const loadProtocol = (clientPackage: ClientPackage): Protocol => {
  const require = createRequire(import.meta.url);
  const generated = (name: string): unknown => require(`${generatedFolders[clientPackage]}/${name}`);
  const paths = [require.resolve(clientPackage)];
  const google = (name: string): unknown =>
    require(require.resolve(`google-protobuf/google/protobuf/${name}`, { paths }));
  const service = (file: string, name: string): Service =>
    (generated(file) as Readonly<Record<string, Service>>)[name]!;
  return {
    streams: generated('streams_pb') as typeof streams,
    shared: generated('shared_pb') as typeof shared,
    status: generated('status_pb') as typeof status,
    features: generated('serverfeatures_pb') as typeof features,
    gossip: generated('gossip_pb') as typeof gossip,
    any: google('any_pb') as typeof any,
    empty: google('empty_pb') as typeof empty,
    services: {
      streams: service('streams_grpc_pb', 'StreamsService'),
      features: service('serverfeatures_grpc_pb', 'ServerFeaturesService'),
      gossip: service('gossip_grpc_pb', 'GossipService'),
    },
  };
};
