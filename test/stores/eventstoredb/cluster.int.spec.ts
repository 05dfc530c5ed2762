import { setTimeout as sleep } from 'node:timers/promises';
import { NotLeaderError } from '@eventstore/db-client';
import { expect } from 'chai';
import { NO_STREAM, type StreamName } from '../../../src/core/event-log.js';
import { type EventStoreDbLog, eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { type DoubleCluster, eventStoreCluster } from '../../support/eventstoredb/double-cluster.js';
import { PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { type Secrets, secrets, USER, way } from '../../support/eventstoredb/secured.js';
import { eventsOf, metadata, newStream, noted, subscribed } from '../contracts/event-log-fixture.js';

const TIMING = { ...SHORT, call: 2000, silence: 500, patience: 20_000 };

describe('the event log on a cluster of doubles of EventStoreDB', () => {
  let files: Secrets;
  let cluster: DoubleCluster;
  let logs: EventStoreDbLog[];
  let errors: unknown[];
  before(async () => {
    files = await secrets();
  });
  after(() => files.remove());
  beforeEach(async () => {
    [logs, errors] = [[], []];
    cluster = await eventStoreCluster(3, { certificate: await files.authority.issued('127.0.0.1'), user: USER });
    cluster.lead(2);
  });
  afterEach(async () => {
    await Promise.all(logs.map((log) => log.close()));
    cluster.stop();
  });

  const opened = async (...indices: readonly number[]): Promise<EventStoreDbLog> => {
    const connectionString = way({ hosts: cluster.hosts(...indices), caFile: files.trusted });
    const onRetry = (error: unknown) => errors.push(error);
    const log = await eventStoreDbLog({ connectionString, prefix: PREFIX, timing: TIMING, onRetry });
    logs.push(log);
    return log;
  };
  const answered = () => cluster.nodes.map((node) => node.answered());

  /** Appends so many events to each of the streams, one after the other; tells how far it is. */
  const fill = async (log: EventStoreDbLog, streams: readonly StreamName[], count: number) => {
    await Promise.all(
      streams.map(async (stream) => {
        for (let expected = NO_STREAM; expected < count - 1; expected += 1) {
          const { revision } = await log.append(stream, expected, [noted({ n: expected + 1 })], metadata);
          expect(revision).to.equal(expected + 1);
        }
      }),
    );
  };

  const expectEachOnce = async (log: EventStoreDbLog, streams: readonly StreamName[], count: number) => {
    const numbers = Array.from({ length: count }, (_, n) => n);
    for (const stream of streams) {
      const { events } = await log.read(stream);
      expect(events.map(({ data }) => (data as { n: number }).n)).to.deep.equal(numbers);
    }
    expect(cluster.log.entries).to.have.length(streams.length * count);
  };

  it('finds the leader among several named members, and calls no other server', async () => {
    const log = await opened(0, 1, 2);
    const stream = newStream();
    await fill(log, [stream], 3);
    await expectEachOnce(log, [stream], 3);
    const [first, second, leader] = answered();
    expect([first, second]).to.deep.equal([0, 0]);
    expect(leader).to.be.above(3);
    expect(errors).to.deep.equal([]);
  });

  it('is led to the leader by a follower that alone is named, and by others when a named one is gone', async () => {
    await fill(await opened(0), [newStream()], 1);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.be.instanceOf(NotLeaderError);
    cluster.nodes[0]!.stop();
    await fill(await opened(0, 1), [newStream()], 1);
    expect(answered().slice(0, 2)).to.deep.equal([0, 0]);
  });

  it('goes on with the next leader as soon as the last one says so, and reads what was acknowledged there', async () => {
    const log = await opened(0, 1, 2);
    const stream = newStream();
    for (const [expected, index] of [2, 0, 1, 2].entries()) {
      cluster.lead(index);
      const before = answered();
      await log.append(stream, expected - 1, [noted({ n: expected })], metadata);
      expect((await log.read(stream)).revision).to.equal(expected);
      await log.end();
      const by = answered().map((count, node) => count > before[node]!);
      expect(by).to.deep.equal([0, 1, 2].map((node) => node === index));
    }
    expect(errors.filter((error) => error instanceof NotLeaderError)).to.have.length(3);
  });

  it('loses and repeats nothing while the lead goes round and round', async () => {
    const log = await opened(0, 1, 2);
    const streams = Array.from({ length: 5 }, newStream);
    const seeing = subscribed(log, 5 * 40, streams, null);
    const filling = fill(log, streams, 40);
    const over = new AbortController();
    const moving = (async () => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        const isLed = turn % 4 !== 3;
        cluster.lead(isLed ? turn % 4 : null);
        // Moves on while some appends are acknowledged and others are not.
        if (isLed) await cluster.log.beyond(cluster.log.entries.length + 3, over.signal);
        else await sleep(25);
      }
      cluster.lead(0);
    })();
    await filling.finally(() => {
      over.abort();
    });
    await moving;
    await expectEachOnce(log, streams, 40);
    const seen = await seeing;
    expect(seen.map(({ id }) => id)).to.deep.equal(cluster.log.entries.map(({ id }) => id));
    expect(await eventsOf(log, streams, null)).to.deep.equal(seen);
    expect(errors.some((error) => error instanceof NotLeaderError)).to.equal(true);
  });

  it('goes on with another leader when the one it has is gone', async () => {
    const log = await opened(0, 1, 2);
    const streams = Array.from({ length: 3 }, newStream);
    const seeing = subscribed(log, 3 * 20, streams, null);
    // So slow that each loss meets appends that are stored and not yet acknowledged.
    cluster.faults.append = () => ({ written: true, then: 'late' });
    const filling = fill(log, streams, 20);
    for (const [gone, next] of [
      [2, 1],
      [1, 0],
    ] as const) {
      await sleep(50);
      cluster.nodes[gone]!.stop();
      cluster.lead(null);
      await sleep(100);
      cluster.lead(next);
      await sleep(300);
      await cluster.nodes[gone]!.start();
    }
    await filling;
    await expectEachOnce(log, streams, 20);
    expect(errors).not.to.deep.equal([]);
    expect((await seeing).map(({ id }) => id)).to.deep.equal(cluster.log.entries.map(({ id }) => id));
  });
});
