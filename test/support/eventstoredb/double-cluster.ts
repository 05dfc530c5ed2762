// Several nodes of the protocol double of EventStoreDB with one log, of which one leads. It proves nothing about the real server.
import { type ServerReadableStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { appendService } from './double-append.js';
import { type Endpoint, type Leader } from './double-access.js';
import { type DoubleLog, doubleLog } from './double-log.js';
import { type Access, HOST, type Member, node, type Node } from './double-node.js';
import { readService } from './double-read.js';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.js';
import { type Faults } from './faults.js';

const MAX_APPEND_BYTES = 1024 * 1024;

export interface ClusterNode extends Node {
  readonly proxy: TcpProxy;
  /** Subscriptions that it has from now on fall silent, as those of a leader that another one has followed. */
  readonly deposed: () => void;
  /** How many appends and readings of what stands in the log it has let in. */
  readonly answered: () => number;
}

export interface DoubleCluster {
  readonly nodes: readonly ClusterNode[];
  readonly log: DoubleLog;
  readonly faults: Faults;
  /** From now on; null: nobody does. Connections stay. */
  readonly lead: (index: number | null) => void;
  /** As they stand in a connection string. */
  readonly hosts: (...indices: readonly number[]) => string;
  /** As a process that was stopped, until it goes on: its connections are taken and kept, and nothing is answered. */
  readonly hang: (index: number) => void;
  readonly goOn: (index: number) => void;
  readonly stop: () => void;
}

export async function eventStoreCluster(size: number, access: Access = {}): Promise<DoubleCluster> {
  const log = doubleLog();
  const faults: Faults = {};
  const nodes: ClusterNode[] = [];
  let leading: number | null = 0;
  const endpoint = (index: number): Endpoint => ({ host: HOST, port: nodes[index]!.proxy.port });
  const members = (): readonly Member[] =>
    nodes.map((_, index) => ({ ...endpoint(index), state: index === leading ? 'leader' : 'follower' }));
  const leaderFor = (index: number): Leader => {
    if (leading === null) return 'nobody';
    return leading === index ? 'itself' : endpoint(leading);
  };
  for (let index = 0; index < size; index += 1) {
    nodes.push(await clusterNode({ ...access, log, faults, members, leader: () => leaderFor(index) }));
  }
  return {
    nodes,
    log,
    faults,
    lead: (index) => {
      if (leading !== null && leading !== index) nodes[leading]!.deposed();
      leading = index;
    },
    hang: (index) => {
      nodes[index]!.proxy.hang();
    },
    goOn: (index) => {
      nodes[index]!.proxy.goOn();
    },
    hosts: (...indices) => indices.map((index) => `${HOST}:${endpoint(index).port}`).join(),
    stop: () => {
      for (const { stop, proxy } of nodes) {
        stop();
        void proxy.close();
      }
    },
  };
}

interface NodeInCluster extends Access {
  readonly log: DoubleLog;
  readonly faults: Faults;
  readonly members: () => readonly Member[];
  readonly leader: () => Leader;
}

export async function clusterNode({ log, faults, ...options }: NodeInCluster): Promise<ClusterNode> {
  let answered = 0;
  const append = appendService(log, faults, MAX_APPEND_BYTES);
  let term = new AbortController();
  const read = readService(log, faults, { sent: 0, open: 0 }, () => term.signal);
  const own = await node({
    ...options,
    append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: Parameters<typeof append>[1]) => {
      answered += 1;
      append(call, answer);
    },
    read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
      if (call.request.getOptions()?.hasSubscription() !== true) answered += 1;
      read(call);
    },
  });
  const deposed = (): void => {
    term.abort();
    term = new AbortController();
  };
  return { ...own, proxy: await tcpProxy({ port: own.port() }), deposed, answered: () => answered };
}
