import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { NO_STREAM, type Revision, type StreamName } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { storeClient } from '../../../src/stores/eventstoredb/connection.js';
import { TransientError } from '../../../src/stores/eventstoredb/errors.js';
import { type EventStoreDbLog, eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { type Double, eventStoreDouble } from '../../support/eventstoredb/double.js';
import { type DoubleCluster, eventStoreCluster } from '../../support/eventstoredb/double-cluster.js';
import { first, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { type Secrets, secrets, USER, way } from '../../support/eventstoredb/secured.js';
import { metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

/** A call may take long enough for TLS on a busy machine; nothing else than calls finds out that a leader hangs. */
const TIMING = { ...SHORT, call: 500, patience: 4000, silence: 60_000 };

describe('the event log on a cluster of doubles of EventStoreDB of which the leader hangs', () => {
  let files: Secrets;
  let cluster: DoubleCluster;
  let log: EventStoreDbLog;
  let stream: StreamName;
  let stop: AbortController;
  let delivered: string[];
  let following: Promise<void>;
  /** Called with each error. */
  let onRetry: () => void;

  before(async () => {
    files = await secrets();
  });
  after(() => files.remove());

  beforeEach(async () => {
    cluster = await eventStoreCluster(3, { certificate: await files.authority.issued('127.0.0.1'), user: USER });
    onRetry = () => undefined;
    log = await eventStoreDbLog({
      connectionString: way({ hosts: cluster.hosts(0, 1, 2), caFile: files.trusted }),
      prefix: PREFIX,
      timing: TIMING,
      onRetry: () => {
        onRetry();
      },
    });
    [stream, stop, delivered] = [newStream(), new AbortController(), []];
    following = follow();
    await append(NO_STREAM);
    await deliveredAll();
  });

  afterEach(async () => {
    stop.abort();
    await following;
    await log.close();
    cluster.stop();
  });

  const follow = async (): Promise<void> => {
    for await (const { events } of log.subscribe(null, [], stop.signal)) delivered.push(...events.map(({ id }) => id));
  };

  const append = (expected: Revision, event = noted()) => log.append(stream, expected, [event], metadata);

  const deliveredAll = async (): Promise<void> => {
    for (let looks = 0; delivered.length < cluster.log.entries.length; looks += 1) {
      expect(looks, 'deliveries stand still').to.be.below(1000);
      await sleep(10);
    }
    expect(delivered).to.deep.equal(cluster.log.entries.map(({ id }) => id));
  };

  /** How often it has to be tried. It may be stored by a try that had no answer. */
  const insistently = async (expected: Revision): Promise<number> => {
    const event = noted();
    for (let tries = 1; ; tries += 1) {
      try {
        await append(expected, event);
        return tries;
      } catch (error) {
        expect(error).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
        expect(tries, 'it stays unavailable').to.be.below(50);
        await sleep(2 * TIMING.coolDown);
      }
    }
  };

  it('appends, reads and delivers again with the next leader, long before the connection is given up', async () => {
    cluster.hang(0);
    cluster.lead(1);
    const began = performance.now();
    expect(await insistently(0)).to.equal(1);
    expect((await log.read(stream)).revision).to.equal(1);
    await deliveredAll();
    expect(performance.now() - began).to.be.below(6 * TIMING.call);
  });

  it('goes on soon after the election, though the others name the hung leader until then', async () => {
    let errors = 0;
    let elected = Infinity;
    cluster.hang(0);
    onRetry = () => {
      errors += 1;
      if (errors !== 4) return;
      cluster.lead(1);
      elected = performance.now();
    };
    await insistently(0);
    expect(performance.now() - elected).to.be.below(4 * TIMING.call);
    expect((await log.read(stream)).revision).to.equal(1);
    await deliveredAll();
  });

  it('does not ask the hung member who leads, for as long as there are others', async () => {
    for (const [hung, next] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      cluster.hang(hung);
      cluster.lead(next);
      const taken = cluster.nodes[hung]!.proxy.taken();
      await insistently(cluster.log.entries.length - 1);
      expect(cluster.nodes[hung]!.proxy.taken()).to.equal(taken);
      cluster.goOn(hung);
    }
    await deliveredAll();
  });

  it('keeps its connection where single calls go unanswered, and replaces it after two in a row', async () => {
    const { proxy } = cluster.nodes[0]!;
    const before = proxy.taken();
    const unanswered = (times: number): void => {
      cluster.faults.append = first(times, { written: false, then: 'silence' });
    };
    for (let revision = 0; revision < 3; revision += 1) {
      unanswered(1);
      await append(revision);
      expect(proxy.taken()).to.equal(before);
    }
    // What is delivered is an answer, too.
    await deliveredAll();
    unanswered(2);
    await append(3);
    expect(proxy.taken()).to.be.above(before);
    await deliveredAll();
  });

  it('asks a member that hung before where no other one is to be found', async () => {
    cluster.hang(0);
    cluster.lead(1);
    await insistently(0);
    const began = performance.now();
    cluster.goOn(0);
    cluster.lead(0);
    for (const { proxy } of cluster.nodes.slice(1)) {
      proxy.refuse();
      proxy.cut();
    }
    await insistently(1);
    // Sooner than it is asked again while others answer.
    expect(performance.now() - began).to.be.below(8000);
    await deliveredAll();
  });

  it('delivers what the next leader has acknowledged, also once the deposed one goes on', async () => {
    cluster.hang(0);
    cluster.lead(1);
    await insistently(0);
    cluster.goOn(0);
    for (let revision = 1; revision < 5; revision += 1) {
      await append(revision);
      await deliveredAll();
    }
  });

  it('delivers at once what was appended at a leader that took over without any outage', async () => {
    cluster.lead(1);
    await append(0);
    await deliveredAll();
  });
});

describe('the client of EventStoreDB that asks a member for the leader', () => {
  let server: Server;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    // Takes connections, and answers nothing.
    server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  for (const [option, seconds] of [
    ['', 2],
    ['&gossipTimeout=3', 3],
  ] as const) {
    it(`waits ${seconds} s for its answer${option === '' ? '' : `, as ${option.slice(1)} says`}`, async () => {
      const { port } = server.address() as AddressInfo;
      let notFound = 0;
      const losses = { onLost: () => undefined, onNotFound: () => (notFound += 1) };
      const way = `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=1${option}`;
      const { client, close } = storeClient(way, losses);
      const began = performance.now();
      const failure = await rejection(client.appendToStream(newStream(), jsonEvent({ type: 'Noted', data: {} })));
      expect(String(failure)).to.contain('Failed to discover');
      // The client's own time is 5 s.
      expect(performance.now() - began).to.be.within(1000 * seconds - 100, 4900);
      expect(notFound).to.equal(1);
      await close();
    });
  }
});

describe('the client of EventStoreDB that hangs up', () => {
  let double: Double;
  let store: ReturnType<typeof storeClient>;
  beforeEach(async () => {
    double = await eventStoreDouble({ cluster: true });
    store = storeClient(double.connectionString, { onLost: () => undefined, onNotFound: () => undefined });
  });
  afterEach(async () => {
    await store.close();
    double.stop();
  });

  const append = () => store.client.appendToStream(newStream(), jsonEvent({ type: 'Noted', data: {} }));

  it('refuses an append that waits for the leader to be found', async () => {
    const refused = rejection(append());
    store.hangUp();
    expect(await refused).to.be.instanceOf(TransientError);
  });

  it('carries out an append that has just begun', async () => {
    await append();
    const begun = append();
    store.hangUp();
    expect((await begun).success).to.equal(true);
  });
});
