import { expect } from 'chai';
import { type Batch, type EventLog, type NewEvent, NO_STREAM, type Position } from '../../../src/core/event-log.js';
import { batchesOf, eventsOf, metadata, newStream, noted, subscribed } from './event-log-fixture.js';

/** The part of the contract about `readAll` and `subscribe`; `current` gives the log of the test and its end before. */
export function itReadsTheWholeLog(current: () => { readonly log: EventLog; readonly start: Position | null }): void {
  let log: EventLog;
  let start: Position | null;

  beforeEach(() => {
    ({ log, start } = current());
  });

  describe('reading the whole log', () => {
    it('returns the events after a position, up to the end', async () => {
      const stream = newStream();
      const first = await log.append(stream, NO_STREAM, [noted(), noted()], metadata);
      await log.append(stream, 1, [noted(), noted()], metadata);

      expect((await eventsOf(log, [stream], first.position)).map(({ revision }) => revision)).to.deep.equal([2, 3]);
      expect(await eventsOf(log, [stream], null)).to.deep.equal((await log.read(stream)).events);
      expect(await eventsOf(log, [stream], await log.end())).to.deep.equal([]);
    });

    it('gives the places of a stream after a revision, a few at a time', async () => {
      const [stream, other] = [newStream(), newStream()];
      await log.append(stream, NO_STREAM, [noted({ text: 'one' }, 'A'), noted({}, 'B'), noted({}, 'C')], metadata);
      await log.append(other, NO_STREAM, [noted()], metadata);
      await log.append(stream, 2, [noted({}, 'D')], metadata);
      const { events } = await log.read(stream);
      const placed = events.map(({ id, type, revision, position }) => ({ id, type, stream, revision, position }));

      expect(await log.places(stream, NO_STREAM, 10)).to.deep.equal(placed);
      expect(await log.places(stream, 0, 2)).to.deep.equal(placed.slice(1, 3));
      expect(await log.places(stream, 3, 2)).to.deep.equal([]);
      expect(await log.places(newStream(), NO_STREAM, 2)).to.deep.equal([]);
    });

    it('returns the position of its end', async () => {
      const appended = await log.append(newStream(), NO_STREAM, [noted(), noted()], metadata);
      expect(await log.end()).to.equal(appended.position);
    });

    it('names the event at a position, and none beyond the end', async () => {
      const events = [noted(), noted({}, 'Unheard')];
      const { position } = await log.append(newStream(), NO_STREAM, events, metadata);
      const seen = await batchesOf(log, start);
      const beyond = position.replaceAll(/./g, (_, at: number) => (at === 0 ? '6' : 'f')) as Position;

      expect(await log.eventAt(position)).to.equal(events[1]!.id);
      expect(await log.eventAt(seen[0]!.events[0]!.position)).to.equal(seen[0]!.events[0]!.id);
      expect(await log.eventAt(beyond)).to.equal(null);
    });

    it('names with each batch the event at its position, handed over or not', async () => {
      const events = [noted(), noted({}, 'Unheard')];
      await log.append(newStream(), NO_STREAM, events, metadata);
      const enough = new AbortController();
      const batches = [...(await batchesOf(log, start, ['Unheard'])), ...(await batchesOf(log, start))];
      for await (const batch of log.subscribe(start, ['Unheard'], enough.signal)) {
        batches.push(batch);
        if (batch.event === events[1]!.id) enough.abort();
      }

      for (const { position, event } of batches) expect(event).to.equal(await log.eventAt(position));
      expect(batches.filter(({ event }) => event === events[1]!.id)).to.have.length(3);
    });

    it('leaves out events of the given types, and moves on past them', async () => {
      const stream = newStream();
      const events: NewEvent[] = ['A', 'B', 'A', 'C', 'D'].map((type) => noted({}, type));
      const { position } = await log.append(stream, NO_STREAM, events, metadata);
      const seen = await batchesOf(log, start, ['B', 'D']);
      const none = await batchesOf(log, start, ['A', 'B', 'C', 'D']);

      expect(seen.flatMap((batch) => batch.events.map(({ type }) => type))).to.deep.equal(['A', 'A', 'C']);
      expect(seen.at(-1)!.position >= position).to.equal(true);
      expect(none.flatMap((batch) => batch.events)).to.deep.equal([]);
      expect(none.at(-1)!.position >= position).to.equal(true);
    });

    it('gives events of every type where none is left out, reading and subscribing', async () => {
      const stream = newStream();
      const types = ['A', 'Of a type that nobody knows', 'B'];
      const events = types.map((type) => noted({}, type));
      await log.append(stream, NO_STREAM, events, metadata);

      const stored = (await log.read(stream)).events;
      expect(stored.map(({ type }) => type)).to.deep.equal(types);
      expect(await eventsOf(log, [stream], start)).to.deep.equal(stored);
      expect((await batchesOf(log, start, ['A'])).flatMap((batch) => batch.events)).to.deep.equal(stored.slice(1));
      expect(await subscribed(log, types.length, [stream], start)).to.deep.equal(stored);
    });

    it('gives a long log in batches, each of which ends at its position', async () => {
      const stream = newStream();
      const many = Array.from({ length: 2500 }, (_, n) => noted({ n }));
      await log.append(stream, NO_STREAM, many.slice(0, 1250), metadata);
      await log.append(stream, 1249, many.slice(1250), metadata);
      const seen = await batchesOf(log, start);

      expect(
        seen.flatMap(({ events }) => events.filter((event) => event.stream === stream)).map(({ id }) => id),
      ).to.deep.equal(many.map(({ id }) => id));
      expect(seen.length).to.be.greaterThan(1);
      for (const { events, position } of seen)
        expect(events.every((event) => event.position <= position)).to.equal(true);
    });

    it('returns events that are appended during the reading', async () => {
      const stream = newStream();
      await log.append(stream, NO_STREAM, [noted()], metadata);
      const seen: number[] = [];
      for await (const { events } of log.readAll(start, [])) {
        seen.push(...events.filter((event) => event.stream === stream).map(({ revision }) => revision));
        if (seen.length === 1) await log.append(stream, 0, [noted()], metadata);
      }
      expect(seen).to.deep.equal([0, 1]);
    });

    it('ends without an error once its signal aborts', async () => {
      const stream = newStream();
      await log.append(
        stream,
        NO_STREAM,
        Array.from({ length: 1100 }, () => noted()),
        metadata,
      );
      const enough = new AbortController();
      const seen: Batch[] = [];
      for await (const batch of log.readAll(start, [], enough.signal)) {
        seen.push(batch);
        enough.abort();
      }
      expect(seen).to.have.length(1);
    });
  });

  describe('subscribing', () => {
    it('delivers existing events, then new ones, each once and in order', async () => {
      const stream = newStream();
      await log.append(stream, NO_STREAM, [noted(), noted()], metadata);
      const enough = new AbortController();
      const seen: number[] = [];
      for await (const { events } of log.subscribe(start, [], enough.signal)) {
        seen.push(...events.filter((event) => event.stream === stream).map(({ revision }) => revision));
        if (seen.length >= 6) enough.abort();
        // After what was there has been given, and not before.
        else void log.append(stream, seen.length - 1, [noted(), noted()], metadata);
      }
      expect(seen).to.deep.equal([0, 1, 2, 3, 4, 5]);
    });

    it('starts after a position', async () => {
      const stream = newStream();
      const { position } = await log.append(stream, NO_STREAM, [noted(), noted()], metadata);
      const following = subscribed(log, 1, [stream], position);
      await log.append(stream, 1, [noted()], metadata);
      expect((await following).map(({ revision }) => revision)).to.deep.equal([2]);
    });

    it('loses nothing and repeats nothing while others write', async () => {
      const streams = Array.from({ length: 4 }, newStream);
      const following = Promise.all([subscribed(log, 200, streams, start), subscribed(log, 200, streams, start)]);
      await Promise.all(
        streams.map(async (stream) => {
          for (let revision = -1; revision < 49; revision += 1) await log.append(stream, revision, [noted()], metadata);
        }),
      );
      const all = await eventsOf(log, streams, start);
      expect(all).to.have.length(200);
      for (const seen of await following) expect(seen).to.deep.equal(all);
    });

    it('moves on past events of types left out', async () => {
      const enough = new AbortController();
      const positions: Position[] = [];
      const { position } = await log.append(newStream(), NO_STREAM, [noted()], metadata);
      for await (const batch of log.subscribe(start, ['NoteTaken'], enough.signal)) {
        expect(batch.events).to.deep.equal([]);
        positions.push(batch.position);
        if (batch.position >= position) enough.abort();
      }
      expect(positions.at(-1)! >= position).to.equal(true);
    });

    it('ends without an error when its signal aborts while it waits', async () => {
      const enough = new AbortController();
      const reading = log.subscribe(await log.end(), [], enough.signal)[Symbol.asyncIterator]();
      const next = reading.next();
      await log.read(newStream());
      enough.abort();
      expect((await next).done).to.equal(true);
    });

    it('gives nothing when its signal has aborted before', async () => {
      const stream = newStream();
      await log.append(stream, NO_STREAM, [noted()], metadata);
      const reading = log.subscribe(start, [], AbortSignal.abort())[Symbol.asyncIterator]();
      expect((await reading.next()).done).to.equal(true);
    });
  });
}
