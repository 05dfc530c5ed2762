import { expect } from 'chai';
import { eventStoreDbLog } from '../../src/stores/eventstoredb/event-log.js';
import { metadata, newStream, noted } from '../stores/contracts/event-log-fixture.js';
import { type ElectingCluster, electingCluster } from '../support/eventstoredb/double-election.js';
import { PREFIX, SHORT } from '../support/eventstoredb/opened.js';
import { BASE, CLUSTER, project, type Project } from './compose-files.js';
import { composeUp, nodesOf, ordersOf } from './starting-order.js';

const EVENTS = 20;
/** No server is away here, but the machine may be busy. */
const PATIENT = { ...SHORT, call: 5000, patience: 20_000 };

const grown = project(BASE, CLUSTER);
const names = nodesOf(grown);
const [first = '', second = '', third = ''] = names;

/** The compose files, with other conditions for a node. */
function withConditions(name: string, depends_on: NonNullable<Project['services'][string]['depends_on']>): Project {
  return { ...grown, services: { ...grown.services, [name]: { ...grown.services[name], depends_on } } };
}

describe('the order in which the compose files start the nodes of EventStoreDB', () => {
  const clusters: ElectingCluster[] = [];
  afterEach(() => {
    for (const cluster of clusters.splice(0)) cluster.close();
  });

  const open = async () => {
    const cluster = await electingCluster(names);
    clusters.push(cluster);
    return cluster;
  };

  const onCluster = ({ hosts }: ElectingCluster) =>
    eventStoreDbLog({ connectionString: `esdb://${hosts()}?tls=false`, prefix: PREFIX, timing: PATIENT });

  /** What was written while the first node was the only one. */
  const filled = async () => {
    const cluster = await open();
    await cluster.nodes[first]!.start(1);
    const log = await onCluster(cluster);
    const stream = newStream();
    await log.append(
      stream,
      -1,
      Array.from({ length: EVENTS }, () => noted()),
      metadata,
    );
    await log.close();
    cluster.nodes[first]!.stop();
    return { cluster, stream };
  };

  /** How far the log of the first node goes, before and whenever another process is up. */
  const checkpointsOf = async (files: Project, order: readonly string[]) => {
    const { cluster, stream } = await filled();
    const { writerCheckpoint } = cluster.nodes[first]!;
    const checkpoints = [writerCheckpoint()];
    await composeUp(files, cluster, order, () => checkpoints.push(writerCheckpoint()));
    return { cluster, stream, checkpoints };
  };

  const falls = (checkpoints: readonly number[]) =>
    checkpoints.some((checkpoint, index) => checkpoint < (checkpoints[index - 1] ?? 0));

  for (const order of ordersOf(names)) {
    it(`keeps the log of the first, whose members are new, with processes as slow as in: ${order.join(', ')}`, async () => {
      const { cluster, stream, checkpoints } = await checkpointsOf(grown, order);
      expect(checkpoints).to.have.length(names.length + 1);
      expect(falls(checkpoints), checkpoints.join()).to.equal(false);
      for (const name of names) expect(cluster.nodes[name]!.log.entries).to.have.length(checkpoints.at(-1)!);
      const log = await onCluster(cluster);
      expect((await log.read(stream)).events).to.have.length(EVENTS);
      await log.close();
    });
  }

  for (const [what, conditions] of Object.entries({
    'none for the third': {},
    'the second started, not healthy': { [second]: { condition: 'service_started' } },
    'the first started': { [first]: { condition: 'service_started' } },
  })) {
    it(`could lose the log with other conditions: ${what}`, async () => {
      const { checkpoints } = await checkpointsOf(withConditions(third, conditions), [second, third, first]);
      expect(checkpoints.at(-1)).to.be.below(EVENTS);
    });
  }

  it('could not begin if the second waited for the first to be healthy', async () => {
    const files = withConditions(second, { [first]: { condition: 'service_healthy' } });
    const { cluster, checkpoints } = await checkpointsOf(files, names);
    expect(checkpoints).to.have.length(2);
    expect(cluster.nodes[first]!.isHealthy()).to.equal(false);
  });

  describe('after members have lost their volumes', () => {
    /** How far the log goes that the least of the members that kept theirs has at last. */
    const keptAfterLossOf = async (lost: readonly string[], order: readonly string[]) => {
      const { cluster } = await checkpointsOf(grown, names);
      const kept = names.filter((name) => !lost.includes(name));
      for (const name of names) cluster.nodes[name]!.stop();
      for (const name of lost) cluster.nodes[name]!.log.restore(0);
      await composeUp(grown, cluster, order, () => undefined);
      return Math.min(...kept.map((name) => cluster.nodes[name]!.writerCheckpoint()));
    };

    for (const lost of names) {
      it(`keeps the log if it is one: ${lost}`, async () => {
        for (const order of ordersOf(names)) expect(await keptAfterLossOf([lost], order)).to.be.above(EVENTS);
      });
    }

    it('could lose the log if they are the first two', async () => {
      expect(await keptAfterLossOf([first, second], names)).to.be.below(EVENTS);
    });
  });
});
