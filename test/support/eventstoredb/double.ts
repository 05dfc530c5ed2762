// A protocol double: it speaks EventStoreDB's gRPC on 127.0.0.1 and keeps the rules that were read in the server's source. It proves nothing about the real server.
import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { appendService } from './double-append.js';
import { type DoubleLog, doubleLog, json } from './double-log.js';
import { readService, type Tally } from './double-read.js';
import { type Faults } from './faults.js';

export interface Double {
  readonly connectionString: string;
  readonly log: DoubleLog;
  readonly faults: Faults;
  readonly tally: Readonly<Tally>;
  /** An event that another application, or the server itself, writes. */
  readonly foreign: (stream: string, type?: string, data?: unknown, contentType?: string) => void;
  /** The same, with data and metadata as they are given. */
  readonly planted: (stream: string, type: string, data: string, metadata: string) => void;
  /** Breaks every connection; nobody answers until `start`. */
  readonly stop: () => void;
  readonly start: () => Promise<void>;
}

export interface DoubleOptions {
  readonly maxAppendBytes?: number;
  /** Found through gossip, as a cluster is. */
  readonly cluster?: boolean;
}

export async function eventStoreDouble(options: DoubleOptions = {}): Promise<Double> {
  const log = doubleLog();
  const faults: Faults = {};
  const tally: Tally = { sent: 0, open: 0 };
  let port = 0;
  let server: Server | undefined;
  const append = appendService(log, faults, options.maxAppendBytes ?? 1024 * 1024);
  const read = readService(log, faults, tally);

  const start = async () => {
    server = new Server();
    const refused = (_: unknown, answer: (error: object) => void) => {
      answer({ code: status.UNIMPLEMENTED, details: 'Not in the double' });
    };
    // Batches are offered, as every server does since 21.10, and not taken: the log is not to send any.
    const others = {
      delete: refused,
      tombstone: refused,
      batchAppend: (call: object) => {
        refused(call, () => undefined);
      },
    };
    server.addService(streamsGrpc.StreamsService, { append, read, ...others });
    server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: (error: null, methods: object) => void) => {
        answer(null, batchesOffered());
      },
    });
    server.addService(gossipGrpc.GossipService, {
      read: (_: unknown, answer: (error: null, info: object) => void) => {
        answer(null, clusterOf(faults.leaderless === true ? 0 : port));
      },
    });
    port = await bound(server, port);
  };
  await start();
  const foreign: Double['foreign'] = (
    stream,
    type = 'Foreign',
    data = { foreign: true },
    contentType = 'application/json',
  ) => {
    log.append(stream, 'any', [{ id: randomUUID(), type, contentType, data: json(data), metadata: json({}) }]);
  };
  const planted: Double['planted'] = (stream, type, data, metadata) => {
    const proposal = {
      id: randomUUID(),
      type,
      contentType: 'application/json',
      data: json(data),
      metadata: json(metadata),
    };
    log.append(stream, 'any', [proposal]);
  };
  foreign('$stats-127.0.0.1:2113', '$statsCollected');

  const host = `127.0.0.1:${port}`;
  return {
    connectionString:
      options.cluster === true
        ? `esdb://${host},${host}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`
        : `esdb://${host}?tls=false`,
    log,
    faults,
    tally,
    foreign,
    planted,
    stop: () => {
      server?.forceShutdown();
    },
    start,
  };
}

function bound(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, taken) => {
      if (error === null) resolve(taken);
      else reject(error);
    });
  });
}

function batchesOffered(): object {
  const method = new features.SupportedMethod().setServiceName('event_store.client.streams.Streams');
  method.setMethodName('batchappend');
  return new features.SupportedMethods().setEventStoreServerVersion('23.10.8').setMethodsList([method]);
}

/** Port 0: nobody leads. */
function clusterOf(port: number): object {
  if (port === 0) return new gossip.ClusterInfo();
  const member = new gossip.MemberInfo();
  member.setInstanceId(new shared.UUID().setString(randomUUID())).setIsAlive(true);
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
