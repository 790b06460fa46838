import type { sendUnaryData } from '@grpc/grpc-js';
import type * as features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type * as gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type { ServiceContext } from './context.js';

const streamsService = 'event_store.client.streams.streams';

/** What the server says it can do; without batch append clients take the classic path. */
export const supportedMethodsService =
  (context: ServiceContext, batchAppend: boolean) =>
  (_call: unknown, callback: sendUnaryData<features.SupportedMethods>): void => {
    const { SupportedMethod, SupportedMethods } = context.protocol.features;
    const reply = new SupportedMethods();
    reply.setEventStoreServerVersion(context.version);
    const add = (service: string, name: string, featuresOf: string[] = []): void => {
      const method = new SupportedMethod();
      method.setServiceName(service);
      method.setMethodName(name);
      method.setFeaturesList(featuresOf);
      reply.addMethods(method);
    };
    add(streamsService, 'read', ['position', 'events']);
    for (const name of ['append', 'delete', 'tombstone']) add(streamsService, name);
    if (batchAppend) add(streamsService, 'batchappend', ['deadline_duration']);
    add('event_store.client.gossip.gossip', 'read');
    add('event_store.client.server_features.serverfeatures', 'getsupportedmethods');
    const { gate } = context.faults;
    gate.enter(() => gate.leave(() => callback(null, reply)));
  };

/** A cluster of one node, which leads: enough to be discovered. */
export const gossipService =
  (context: ServiceContext) =>
  (_call: unknown, callback: sendUnaryData<gossip.ClusterInfo>): void => {
    const { ClusterInfo, EndPoint, MemberInfo } = context.protocol.gossip;
    const endPoint = new EndPoint();
    endPoint.setAddress('127.0.0.1');
    endPoint.setPort(context.port());
    const member = new MemberInfo();
    member.setState(MemberInfo.VNodeState.LEADER);
    member.setIsAlive(true);
    member.setHttpEndPoint(endPoint);
    const reply = new ClusterInfo();
    reply.setMembersList([member]);
    const { gate } = context.faults;
    gate.enter(() => gate.leave(() => callback(null, reply)));
  };
