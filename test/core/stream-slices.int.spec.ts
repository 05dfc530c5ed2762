import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NO_STREAM, type Event, type EventLog, type StreamName, type StreamPart } from '../../src/core/event-log.js';
import { streamSlices } from '../../src/core/stream-slices.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { collectGarbage } from '../support/garbage.js';
import { turns } from '../support/turns.js';
import { metadata, newStream, noted } from '../stores/contracts/event-log-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const LARGE = 900_000;
/** Of large events: a reading takes no more of them. */
const SLICE = 5;

describe('a stream that is read in slices', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  const stream = newStream();

  before(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
    for (let n = 0; n < 40; n += 1) await append(n - 1, 'x'.repeat(LARGE));
  });
  after(async () => {
    await log.close();
    await directory.remove();
  });

  const append = (revision: number, text: string) =>
    log.append(stream, revision, [{ id: randomUUID(), type: 'Written', data: { text } }], metadata);
  const revisions = (from: number, to: number): readonly number[] =>
    Array.from({ length: to + 1 - from }, (_, n) => from + n);

  /** A log that notes the events that it gives, and which of them are held before each further reading. */
  const watched = () => {
    const given: WeakRef<object>[] = [];
    const held: number[] = [];
    const read = async <E extends Event>(name: StreamName, part?: StreamPart) => {
      await collectGarbage();
      held.push(given.filter((event) => event.deref() !== undefined).length);
      const found = await log.read<E>(name, part);
      given.push(...found.events.map((event) => new WeakRef(event)));
      return found;
    };
    return { reading: { read } satisfies Pick<EventLog, 'read'>, held };
  };

  it('gives all events in order, with one slice in memory', async () => {
    const { reading, held } = watched();
    const seen: number[] = [];
    for await (const events of streamSlices(reading, stream)) seen.push(...events.map(({ revision }) => revision));
    expect(seen).to.deep.equal(revisions(0, 39));
    expect(held).to.have.length(1 + 40 / SLICE);
    // Of the slice before, the reader has the last event.
    expect(Math.max(...held)).to.be.at.most(1);
  });

  it('is read at once if it fits in one slice', async () => {
    const { reading, held } = watched();
    const seen: number[] = [];
    for await (const events of streamSlices(reading, stream, 40 - SLICE))
      seen.push(...events.map(({ revision }) => revision));
    expect(seen).to.deep.equal(revisions(40 - SLICE, 39));
    expect(held).to.have.length(1);
  });

  it('starts at a given revision', async () => {
    for (const from of [0, 1, 20, 38, 39, 40]) {
      const seen: number[] = [];
      for await (const events of streamSlices(log, stream, from)) seen.push(...events.map(({ revision }) => revision));
      expect(seen, `from ${from}`).to.deep.equal(revisions(from, 39));
    }
  });

  it('lets others have their turn while its events are looked at, where that takes long', async () => {
    const events = Array.from({ length: 300 }, () => noted());
    const long = newStream();
    await log.append(long, NO_STREAM, events, metadata);
    const loop = turns();
    const looked = new Map<number, number>();
    for await (const some of streamSlices(log, long)) {
      for (const { revision } of some) {
        const end = performance.now() + 1;
        while (performance.now() < end);
        looked.set(revision, loop.count());
      }
    }
    loop.stop();
    expect([...looked.keys()]).to.deep.equal(revisions(0, 299));
    expect(new Set(looked.values()).size).to.be.at.least(25);
  });

  it('ends at the revision that was last when the reading began', async () => {
    const growing = newStream();
    await log.append(
      growing,
      NO_STREAM,
      Array.from({ length: 1100 }, () => noted()),
      metadata,
    );
    let end = 1099;
    const seen: number[] = [];
    for await (const events of streamSlices(log, growing)) {
      seen.push(...events.map(({ revision }) => revision));
      ({ revision: end } = await log.append(growing, end, [noted()], metadata));
    }
    expect(seen).to.deep.equal(revisions(0, 1099));
    expect(end).to.be.greaterThan(1100);
  });
});
