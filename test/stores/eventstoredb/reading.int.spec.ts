import { expect } from 'chai';
import { NO_STREAM, type Position, UnreadableEvent } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { positionOf, storePosition } from '../../../src/stores/eventstoredb/codec.js';
import { type Failure } from '../../support/eventstoredb/faults.js';
import { first, letGo, type OnDouble, onDouble, PATIENT, PREFIX } from '../../support/eventstoredb/opened.js';
import { batchesOf, metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

const FAILURES: readonly (Failure | 'end')[] = ['unavailable', 'aborted', 'cancelled', 'internal', 'silence', 'end'];

describe('reading from EventStoreDB', () => {
  let on: OnDouble;

  beforeEach(async () => {
    on = await onDouble();
  });

  afterEach(async () => {
    await letGo(on);
    await on.close();
  });

  describe('a stream', () => {
    for (const then of FAILURES) {
      it(`is complete though a reading of it ends early as ${then}`, async () => {
        const stream = newStream();
        const events = Array.from({ length: 10 }, (_, n) => noted({ n }));
        await on.log.append(stream, NO_STREAM, events, metadata);
        on.double.faults.read = first(5, { after: 3, then });
        const read = await on.log.read(stream);
        expect(read.events.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
        expect(read.revision).to.equal(9);
        const parts = [{ last: 100, from: 4 }, { from: 4, to: 9 }, { last: 6 }];
        for (const part of parts) {
          on.double.faults.read = first(5, { after: 3, then });
          const { events: some, revision } = await on.log.read(stream, part);
          expect(some.map(({ id }) => id)).to.deep.equal(events.slice(4).map(({ id }) => id));
          expect(revision).to.equal(9);
        }
      });
    }

    it('is sent no further than it is read, where its events are large', async () => {
      const patient = await onDouble({ timing: PATIENT });
      const stream = newStream();
      const events = Array.from({ length: 60 }, () => noted({ text: 'x'.repeat(500_000) }));
      for (const [n, event] of events.entries()) await patient.log.append(stream, n - 1, [event], metadata);
      for (const part of [{ last: 60 }, { from: 0, to: 59 }]) {
        const before = patient.double.tally.sent;
        const { length } = (await patient.log.read(stream, part)).events;
        expect(length).to.be.within(2, 12);
        await letGo(patient);
        // What is under way when it is enough is the buffers' affair.
        expect(patient.double.tally.sent - before).to.be.within(length, 40);
      }
      await patient.close();
    });

    it('is unavailable where the server stays silent', async () => {
      on.double.faults.read = () => ({ after: 0, then: 'silence' });
      const refused = await rejection(on.log.read(newStream()));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    });

    it('is not taken for complete when the log is closed in the midst of it', async () => {
      const stream = newStream();
      await on.log.append(stream, NO_STREAM, [noted(), noted(), noted()], metadata);
      on.double.faults.read = () => ({ after: 1, then: 'silence' });
      const reading = rejection(on.log.read(stream));
      await on.log.close();
      expect(await reading)
        .to.be.instanceOf(Problem)
        .with.property('kind', 'unavailable');
    });

    it('is unavailable where every reading ends before the last event', async () => {
      const stream = newStream();
      await on.log.append(stream, NO_STREAM, [noted(), noted()], metadata);
      let readings = 0;
      on.double.faults.read = () => ((readings += 1) === 1 ? { after: 1, then: 'end' } : { after: 0, then: 'end' });
      const refused = await rejection(on.log.read(stream));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    });

    for (const [title, data, contentType] of [
      ['is no JSON', '{"half": ', 'application/json'],
      ['is nothing', '', 'application/json'],
      ['is a text', '"text"', 'application/json'],
      ['is a number', '7', 'application/json'],
      ['is null', 'null', 'application/json'],
      ['is a list', '[{}]', 'application/json'],
      ['is of bytes', '{}', 'application/octet-stream'],
    ] as const) {
      it(`with data that ${title} is an error that names the place`, async () => {
        const stream = newStream();
        await on.log.append(stream, NO_STREAM, [noted()], metadata);
        on.double.foreign(`${PREFIX}${stream}`, 'NoteTaken', data, contentType);
        const refused = await rejection(on.log.read(stream));
        const position = await on.log.end();
        expect(String(refused))
          .to.include(stream)
          .and.to.include('revision 1')
          .and.to.include(position)
          .and.to.include('its data is no JSON object');
      });
    }

    for (const [title, text] of [
      ['is missing', ''],
      ['is no JSON', '{"half": '],
      ['is a text', '"text"'],
      ['is null', 'null'],
      ['is a list', '[{}]'],
    ] as const) {
      it(`with metadata that ${title} is an error too`, async () => {
        const stream = newStream();
        on.double.planted(`${PREFIX}${stream}`, 'NoteTaken', '{}', text);
        const refused = await rejection(on.log.read(stream));
        expect(refused).to.be.instanceOf(UnreadableEvent).with.property('reason', 'its metadata is no JSON object');
      });
    }

    it('is not taken for another one, nor for one without the prefix', async () => {
      const stream = newStream();
      on.double.foreign(stream);
      on.double.foreign(`other.${stream}`);
      expect((await on.log.read(stream)).revision).to.equal(NO_STREAM);
    });
  });

  describe('the whole log', () => {
    it('gives nothing of others, and no position of theirs', async () => {
      const { position } = await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      for (const stream of ['other-1', '$settings', `$$${PREFIX}note-1`, `${PREFIX}unnamed`, `${PREFIX}two.note-1`])
        on.double.foreign(stream);
      const seen = await batchesOf(on.log, null);
      expect(seen.flatMap(({ events }) => events)).to.have.length(1);
      expect(seen.map((batch) => batch.position)).to.deep.equal([position]);
      expect(await on.log.end()).to.equal(position);
    });

    it('goes on after what it has passed of others when its reading breaks off', async () => {
      for (let n = 0; n < 700; n += 1) on.double.foreign('other-1');
      await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      let readings = 0;
      // The look at the end of the log comes first.
      on.double.faults.read = () => ((readings += 1) === 2 ? { after: 650, then: 'unavailable' } : undefined);
      const before = on.double.tally.sent;
      expect(await batchesOf(on.log, null)).to.have.length(1);
      expect(on.double.tally.sent - before).to.be.below(1300);
    });

    it('is complete though its reading ends early among the events of others, time and again', async () => {
      const ids: string[] = [];
      for (const others of [25, 50, 25]) {
        for (let n = 0; n < others; n += 1) on.double.foreign('other-1');
        const event = noted();
        await on.log.append(newStream(), NO_STREAM, [event], metadata);
        ids.push(event.id);
      }
      on.double.faults.read = first(6, { after: 10, then: 'end' });
      const seen = (await batchesOf(on.log, null)).flatMap(({ events }) => events);
      expect(seen.map(({ id }) => id)).to.deep.equal(ids);
    });

    it('is complete though its reading ends before the first event', async () => {
      await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      let readings = 0;
      // The look at the end of the log comes first.
      on.double.faults.read = () => ((readings += 1) === 2 ? { after: 0, then: 'end' } : undefined);
      expect(await batchesOf(on.log, null)).to.have.length(1);
    });

    it('is read to its end while others go on writing', async () => {
      await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      let readings = 0;
      on.double.faults.read = () => {
        on.double.foreign('other-1');
        readings += 1;
        return undefined;
      };
      expect(await batchesOf(on.log, null)).to.have.length(1);
      expect(readings).to.be.below(10);
    });

    it('names the event of another log at a position too', async () => {
      on.double.foreign('other-1');
      const { id, position } = on.double.log.entries.at(-1)!;
      expect(await on.log.eventAt(positionOf(position))).to.equal(id);
    });

    it('has no event where one of another log was scavenged', async () => {
      on.double.foreign('other-1');
      const { position } = on.double.log.entries.at(-1)!;
      on.double.log.delete('other-1');
      on.double.log.scavenge();
      expect(await on.log.eventAt(positionOf(position))).to.equal(null);
    });

    it('has no event at a position where none begins', async () => {
      const { position } = await on.log.append(newStream(), NO_STREAM, [noted({ text: 'long'.repeat(9) })], metadata);
      await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      const { commit, prepare } = storePosition(position);
      expect(await on.log.eventAt(positionOf({ commit: commit + 7n, prepare: prepare + 7n }))).to.equal(null);
    });

    for (const then of FAILURES) {
      it(`names the event at a position though the reading of it ends early as ${then}`, async () => {
        const [event] = [noted()];
        const { position } = await on.log.append(newStream(), NO_STREAM, [event], metadata);
        for (const times of [1, 2]) {
          on.double.faults.read = first(times, { after: 0, then });
          expect(await on.log.eventAt(position)).to.equal(event.id);
        }
      });
    }

    it('ends where it does after the server was restored to an older state', async () => {
      const { position } = await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      const before = on.double.log.entries.length;
      await on.log.append(newStream(), NO_STREAM, [noted(), noted()], metadata);
      await on.log.end();
      on.double.log.restore(before);
      expect(await on.log.end()).to.equal(position);
    });

    it('ends before all of others, however much that is', async () => {
      expect(await on.log.end()).to.equal(null);
      for (let n = 0; n < 100; n += 1) on.double.foreign('other-1');
      expect(await on.log.end()).to.equal(null);
      const { position } = await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      for (let n = 0; n < 100; n += 1) on.double.foreign('other-1');
      expect(await on.log.end()).to.equal(position);
      const before = on.double.tally.sent;
      expect(await on.log.end()).to.equal(position);
      // Not all of others again: what is under way when it is found is the buffers' affair.
      expect(on.double.tally.sent - before).to.be.below(50);
    });

    it('ends with its last event though the look at the end breaks off among the events of others', async () => {
      const { position } = await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      for (let n = 0; n < 100; n += 1) on.double.foreign('other-1');
      on.double.faults.read = first(2, { after: 30, then: 'end' });
      expect(await on.log.end()).to.equal(position);
    });

    for (const then of FAILURES.filter((failure) => failure !== 'end')) {
      it(`is complete though its reading breaks off as ${then}`, async () => {
        const stream = newStream();
        const events = Array.from({ length: 30 }, (_, n) => noted({ n }));
        await on.log.append(stream, NO_STREAM, events, metadata);
        on.double.faults.read = first(4, { after: 7, then });
        const seen = (await batchesOf(on.log, null)).flatMap((batch) => batch.events);
        expect(seen.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
      });
    }

    it('is unavailable where the server stays silent', async () => {
      on.double.faults.read = () => ({ after: 0, then: 'silence' });
      expect(await rejection(batchesOf(on.log, null)))
        .to.be.instanceOf(Problem)
        .with.property('kind', 'unavailable');
      expect(await rejection(on.log.end()))
        .to.be.instanceOf(Problem)
        .with.property('kind', 'unavailable');
    });

    it('cannot be read from what is no position of it', async () => {
      const refused = await rejection(batchesOf(on.log, '000000000000000a' as Position));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'invalid');
    });

    it('tells how far along a position is', async () => {
      const { position: half } = await on.log.append(
        newStream(),
        NO_STREAM,
        [noted({ text: 'x'.repeat(5000) })],
        metadata,
      );
      const { position: end } = await on.log.append(
        newStream(),
        NO_STREAM,
        [noted({ text: 'x'.repeat(5000) })],
        metadata,
      );
      expect(on.log.fractionAt(half, end)).to.be.within(0, 0.9);
      expect(on.log.fractionAt(end, end)).to.equal(1);
    });

    it('fails for those who still read when it is closed', async () => {
      await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
      on.double.faults.read = () => ({ after: 0, then: 'silence' });
      const reading = rejection(batchesOf(on.log, null));
      await on.log.close();
      expect(await reading)
        .to.be.instanceOf(Problem)
        .with.property('kind', 'unavailable');
    });
  });
});
