// Nodes of the protocol double of EventStoreDB that have a log each and elect their leader. It proves nothing about the real server.
import { randomUUID } from 'node:crypto';
import { clusterNode, type ClusterNode } from './double-cluster.js';
import { type DoubleLog, doubleLog, type Entry, json } from './double-log.js';
import { HOST } from './double-node.js';

interface ElectingNode {
  /** How far its log goes. */
  readonly writerCheckpoint: () => number;
  readonly log: DoubleLog;
  /** The process; it meets the others, as one of so many. */
  readonly start: (clusterSize: number) => Promise<void>;
  readonly stop: () => void;
  /** Whether it leads, or follows somebody who does. */
  readonly isHealthy: () => boolean;
}

export interface ElectingCluster {
  readonly nodes: Readonly<Record<string, ElectingNode>>;
  /** As they stand in a connection string. */
  readonly hosts: () => string;
  readonly close: () => void;
}

interface Member {
  readonly name: string;
  readonly log: DoubleLog;
  /** 0 while it does not run. */
  clusterSize: number;
  node?: ClusterNode;
}

const EPOCH = '$epoch-information';

/** None of them runs at first. */
export async function electingCluster(names: readonly string[]): Promise<ElectingCluster> {
  const members: Member[] = names.map((name) => ({ name, log: doubleLog(), clusterSize: 0 }));
  let leader: Member | undefined;
  const running = (): readonly Member[] => members.filter(({ clusterSize }) => clusterSize > 0);
  const follow = (): void => {
    for (const member of running()) if (leader !== undefined && member !== leader) copy(leader.log, member.log);
  };
  const elect = (): void => {
    const those = running();
    const isQuorum = ({ clusterSize }: Member): boolean => those.length > clusterSize / 2;
    if (leader === undefined || !those.includes(leader) || !isQuorum(leader)) {
      leader = those.every(isQuorum) ? those.toSorted(byLog)[0] : undefined;
      if (leader !== undefined) append(leader.log, EPOCH);
    }
    follow();
  };
  const endpoint = (member: Member) => ({ host: HOST, port: member.node!.proxy.port });
  for (const member of members) {
    member.node = await clusterNode({
      log: replicated(member.log, follow),
      faults: {},
      members: () =>
        running().map((one) => ({ ...endpoint(one), state: one === leader ? ('leader' as const) : 'follower' })),
      leader: () => (leader === undefined ? 'nobody' : leader === member ? 'itself' : endpoint(leader)),
    });
    member.node.stop();
  }
  const electing = (member: Member): ElectingNode => ({
    log: member.log,
    writerCheckpoint: () => member.log.entries.length,
    start: async (clusterSize) => {
      member.clusterSize = clusterSize;
      await member.node!.start();
      elect();
    },
    stop: () => {
      member.clusterSize = 0;
      member.node!.stop();
      elect();
    },
    isHealthy: () => member.clusterSize > 0 && leader !== undefined,
  });
  return {
    nodes: Object.fromEntries(members.map((member) => [member.name, electing(member)])),
    hosts: () => members.map((member) => `${HOST}:${endpoint(member).port}`).join(),
    close: () => {
      for (const { node } of members) {
        node!.stop();
        void node!.proxy.close();
      }
    },
  };
}

/** The latest epoch leads, of the same epoch the longest log. */
function byLog({ log: one }: Member, { log: other }: Member): number {
  return epochOf(other) - epochOf(one) || other.entries.length - one.entries.length;
}

const epochOf = ({ entries }: DoubleLog): number => entries.filter(({ type }) => type === EPOCH).length;

/** A follower truncates what its leader does not have, and takes over the rest. */
function copy(from: DoubleLog, to: DoubleLog): void {
  const isSame = ({ id }: Entry, index: number): boolean => from.entries[index]?.id === id;
  const apart = to.entries.findIndex((entry, index) => !isSame(entry, index));
  if (apart >= 0) to.restore(apart);
  for (const entry of from.entries.slice(to.entries.length)) to.append(entry.stream, 'any', [entry]);
}

function replicated(log: DoubleLog, follow: () => void): DoubleLog {
  return {
    ...log,
    append: (...args) => {
      const outcome = log.append(...args);
      follow();
      return outcome;
    },
  };
}

function append(log: DoubleLog, type: string): void {
  const [data, metadata] = [json({}), json({})];
  log.append('$epochs', 'any', [{ id: randomUUID(), type, contentType: 'application/json', data, metadata }]);
}
