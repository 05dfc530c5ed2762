// One server of the protocol double of EventStoreDB. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { listenAgain, portOfOnesOwn } from '../same-port.js';
import { type ServerCertificate } from './certificates.js';
import { type Endpoint, type Leader, onlyFor, sendingToLeader, type User } from './double-access.js';

export const HOST = '127.0.0.1';

export interface Access {
  /** Speaks TLS with it; plain text without. */
  readonly certificate?: ServerCertificate;
  /** The one who may call; anybody without. */
  readonly user?: User;
}

export interface Member extends Endpoint {
  readonly state: 'leader' | 'follower';
}

export interface NodeOptions extends Access {
  readonly append: UntypedHandleCall;
  readonly read: UntypedHandleCall;
  /** Offered all the same without it, as every server does since 21.10: the log is not to send any batches. */
  readonly batchAppend?: UntypedHandleCall | undefined;
  /** What it tells of the cluster. */
  readonly members: () => readonly Member[];
  /** Its password from now on, where another was set. */
  readonly password?: () => string | undefined;
  /** Itself, where that is not told. */
  readonly leader?: () => Leader;
}

export interface Node {
  readonly port: () => number;
  /** Breaks every connection; nobody answers until `start`. */
  readonly stop: () => void;
  /** On the same port as before. */
  readonly start: () => Promise<void>;
}

export async function node(options: NodeOptions): Promise<Node> {
  let port = 0;
  let server: Server | undefined;
  const start = async (): Promise<void> => {
    ({ server, port } = await listenAgain(() =>
      bound(serverOf(options), port === 0 ? portOfOnesOwn() : port, options.certificate),
    ));
  };
  await start();
  return { port: () => port, start, stop: () => server?.forceShutdown() };
}

function serverOf({ append, read, members, leader, user, password, batchAppend }: NodeOptions): Server {
  const server = new Server({
    interceptors: [
      ...(user === undefined ? [] : [onlyFor(() => ({ ...user, password: password?.() ?? user.password }))]),
      ...(leader === undefined ? [] : [sendingToLeader(leader)]),
    ],
  });
  const refused = (_: unknown, answer: (error: object) => void) => {
    answer({ code: status.UNIMPLEMENTED, details: 'Not in the double' });
  };
  const others = {
    delete: refused,
    tombstone: refused,
    batchAppend:
      batchAppend ??
      ((call: object) => {
        refused(call, () => undefined);
      }),
  };
  server.addService(streamsGrpc.StreamsService, { append, read, ...others });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, answer: (error: null, methods: object) => void) => {
      answer(null, batchesOffered());
    },
  });
  server.addService(gossipGrpc.GossipService, {
    read: (_: unknown, answer: (error: null, info: object) => void) => {
      answer(null, new gossip.ClusterInfo().setMembersList(members().map(memberInfo)));
    },
  });
  return server;
}

interface Bound {
  readonly server: Server;
  readonly port: number;
}

function bound(server: Server, port: number, certificate: ServerCertificate | undefined): Promise<Bound> {
  const credentials = certificate === undefined ? ServerCredentials.createInsecure() : secured(certificate);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${HOST}:${port}`, credentials, (error, taken) => {
      if (error === null) resolve({ server, port: taken });
      else reject(error);
    });
  });
}

function secured({ certificate, key }: ServerCertificate): ServerCredentials {
  return ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) }]);
}

function batchesOffered(): object {
  const method = new features.SupportedMethod().setServiceName('event_store.client.streams.Streams');
  method.setMethodName('batchappend');
  return new features.SupportedMethods().setEventStoreServerVersion('23.10.8').setMethodsList([method]);
}

function memberInfo({ host, port, state }: Member) {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
  const member = new gossip.MemberInfo();
  member.setInstanceId(new shared.UUID().setString(randomUUID())).setIsAlive(true);
  member.setState(state === 'leader' ? LEADER : FOLLOWER);
  member.setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
  return member;
}
