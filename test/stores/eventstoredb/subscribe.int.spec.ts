import { expect } from 'chai';
import { type Batch, NO_STREAM, type Position, type Recorded } from '../../../src/core/event-log.js';
import { type ReadFault } from '../../support/eventstoredb/faults.js';
import { first, letGo, type OnDouble, onDouble, PATIENT, PREFIX } from '../../support/eventstoredb/opened.js';
import { metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

describe('subscribing to EventStoreDB', () => {
  let on: OnDouble;
  let enough: AbortController;

  beforeEach(async () => {
    on = await onDouble();
    enough = new AbortController();
  });

  afterEach(async () => {
    enough.abort();
    await letGo(on);
    await on.close();
  });

  const store = async (count: number) => {
    const stream = newStream();
    for (let n = 0; n < count; n += 1) await on.log.append(stream, n - 1, [noted({ n })], metadata);
  };

  const seenOf = async (count: number, after: Position | null = null): Promise<readonly Recorded[]> => {
    const seen: Recorded[] = [];
    for await (const { events } of on.log.subscribe(after, [], enough.signal)) {
      seen.push(...events);
      if (seen.length >= count) enough.abort();
    }
    return seen;
  };

  const expectAllOnce = (seen: readonly Recorded[], count: number) => {
    const stored = on.double.log.entries.filter(({ stream }) => stream.startsWith(PREFIX));
    expect(seen).to.have.length(count);
    expect(seen.map(({ id }) => id)).to.deep.equal(stored.map(({ id }) => id));
  };

  for (const then of ['end', 'unavailable', 'aborted', 'cancelled', 'internal', 'silence'] as const) {
    it(`goes on after the last event when the server ends it as ${then}`, async () => {
      const following = seenOf(20);
      on.double.faults.read = (reading) => (reading === 'subscription' ? { after: 5, then } : undefined);
      await store(20);
      expectAllOnce(await following, 20);
      expect(on.errors.length).to.be.greaterThan(1);
    });
  }

  it('goes on when the server starts again', async () => {
    const following = seenOf(10);
    await store(5);
    on.double.stop();
    await on.double.start();
    await store(5);
    expectAllOnce(await following, 10);
  });

  it('outlives an outage of a whole cluster, with everything that goes on at once', async () => {
    const cluster = await onDouble({}, { cluster: true });
    const stop = new AbortController();
    const seen = Array.from({ length: 8 }, () => 0);
    const following = seen.map(async (_, index) => {
      for await (const { events } of cluster.log.subscribe(null, [], stop.signal)) {
        seen[index]! += events.length;
        if (seen.every((count) => count === 2)) stop.abort();
      }
    });
    const stream = newStream();
    await cluster.log.append(stream, NO_STREAM, [noted()], metadata);
    cluster.double.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await cluster.double.start();
    await cluster.log.append(stream, 0, [noted()], metadata);
    await Promise.all(following);
    await cluster.close();
  });

  it('outlives that it breaks off while a new leader is looked for in vain', async () => {
    const cluster = await onDouble({}, { cluster: true });
    const stream = newStream();
    await cluster.log.append(stream, NO_STREAM, [noted()], metadata);
    const stop = new AbortController();
    const reading = cluster.log.subscribe(null, [], stop.signal)[Symbol.asyncIterator]();
    const breaks = {
      all: () => undefined,
      subscription: first<ReadFault>(1, { after: 4, then: 'unavailable' }),
      stream: first<ReadFault>(1, { after: 0, then: 'unavailable' }),
    };
    cluster.double.faults.read = (kind) => breaks[kind]();
    await reading.next();
    cluster.double.faults.leaderless = true;
    const read = cluster.log.read(stream);
    // Its failure makes the client look for another leader; then the subscription breaks as well.
    await new Promise((resolve) => setTimeout(resolve, 20));
    cluster.double.foreign(`${PREFIX}${stream}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    cluster.double.faults.leaderless = false;

    expect((await read).revision).to.equal(1);
    expect(((await reading.next()).value as Batch).events).to.have.length(1);
    stop.abort();
    await cluster.close();
  });

  it('takes no checkpoint of the server for a place that it has reached', async () => {
    on.double.faults.checkpointsAhead = true;
    await store(40);
    const reading = on.log.subscribe(null, [], enough.signal)[Symbol.asyncIterator]();
    const batch = (await reading.next()).value as Batch;
    expect(batch.position).to.equal(batch.events.at(-1)?.position);
    // The next one begins there, and so misses nothing of what the checkpoint claimed.
    enough.abort();
    enough = new AbortController();
    const left = 40 - batch.events.length;
    const rest = left === 0 ? [] : await seenOf(left, batch.position);
    expectAllOnce([...batch.events, ...rest], 40);
  });

  it('does not take a quiet log for a silent server', async () => {
    await on.close();
    const silence = 700;
    on = await onDouble({ timing: { ...PATIENT, silence } });
    const { position } = await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
    const following = seenOf(1, position);
    await new Promise((resolve) => setTimeout(resolve, 2.5 * silence));
    expect(on.errors).to.deep.equal([]);
    await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
    expect(await following).to.have.length(1);
  });

  it('comes back from a server that never says a word', async () => {
    await store(3);
    on.double.faults.read = first(8, { after: 0, then: 'silence' });
    expectAllOnce(await seenOf(3), 3);
  });

  it('delivers only events of its own streams', async () => {
    const following = seenOf(2);
    await store(1);
    on.double.foreign('other-1');
    on.double.foreign('$stats-127.0.0.1:2113');
    await store(1);
    expectAllOnce(await following, 2);
  });

  it('fails where an event cannot be read, after those before it', async () => {
    await store(2);
    on.double.foreign(`${PREFIX}note-1`, 'Channel', 'no JSON');
    const seen: Recorded[] = [];
    const reading = async () => {
      for await (const { events } of on.log.subscribe(null, [], enough.signal)) seen.push(...events);
    };
    expect(String(await rejection(reading()))).to.include('note-1 at revision 0');
    expect(seen).to.have.length(2);
  });

  it('ends without an error when its signal aborts during a pause or an outage', async () => {
    const following = seenOf(1);
    on.double.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    enough.abort();
    expect(await following).to.deep.equal([]);
    await on.double.start();
  });

  it('fails when the log is closed', async () => {
    const following = rejection(seenOf(1));
    await on.log.close();
    expect(String(await following)).to.include('closed');
  });

  it('leaves nothing open on the server once it has ended', async () => {
    await store(1);
    await seenOf(1);
    await letGo(on);
    const before = on.double.tally.sent;
    await store(5);
    expect(on.double.tally.sent).to.equal(before);
  });
});
