import { expect } from 'chai';
import fc from 'fast-check';
import { READ_BYTES } from '../../../src/core/bounds.js';
import {
  type EventLog,
  NO_STREAM,
  type Position,
  RevisionConflict,
  type StreamPart,
} from '../../../src/core/event-log.js';
import { eventsOf, metadata, newStream, noted, rejection, subscribed } from './event-log-fixture.js';
import { itHoldsTheBoundOfEvents } from './bounded-log.contract.js';
import { itReadsTheWholeLog } from './event-log-reading.contract.js';
import { itStopsAtWhatCannotBeRead, type Plant } from './event-log-unreadable.contract.js';

const MEBIBYTE = 1024 * 1024;

export interface OpenedLog {
  readonly log: EventLog;
  readonly plant: Plant;
  readonly close: () => Promise<void>;
}

/** What every event log promises. Each adapter runs it from its own spec, on a log that may hold other streams already. */
export function itKeepsTheEventLogContract(open: () => Promise<OpenedLog>): void {
  let opened: OpenedLog;
  let log: EventLog;
  let start: Position | null;

  beforeEach(async () => {
    opened = await open();
    log = opened.log;
    start = await log.end();
  });

  afterEach(async () => {
    await opened.close();
  });

  describe('appending', () => {
    it('reads a stream without events as empty', async () => {
      expect(await log.read(newStream())).to.deep.equal({ events: [], revision: NO_STREAM });
    });

    it('returns the appended events, numbered from 0', async () => {
      const stream = newStream();
      const [first, second] = [
        noted({ text: 'one', tags: ['a', null, 1.5, true] }),
        noted({ text: 'two' }, 'NoteMoved'),
      ];
      const appended = await log.append(stream, NO_STREAM, [first, second], metadata);
      const { events, revision } = await log.read(stream);

      expect(appended.revision).to.equal(1);
      expect(revision).to.equal(1);
      expect(events).to.deep.equal([
        { ...first, stream, revision: 0, position: events[0]?.position, metadata },
        { ...second, stream, revision: 1, position: appended.position, metadata },
      ]);
      expect(appended.position > events[0]!.position).to.equal(true);
    });

    it('goes on where the stream ends', async () => {
      const stream = newStream();
      const first = await log.append(stream, NO_STREAM, [noted()], metadata);
      const second = await log.append(stream, 0, [noted(), noted()], { ...metadata, requestId: 'r', definition: 3 });

      expect(second.revision).to.equal(2);
      expect(second.position > first.position).to.equal(true);
      expect((await log.read(stream)).events.map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
      expect((await log.read(stream)).events[2]?.metadata).to.deep.equal({
        ...metadata,
        requestId: 'r',
        definition: 3,
      });
    });

    it('returns the events of a part of a stream, or its last events, and the revision of the last one', async () => {
      const [stream, other] = [newStream(), newStream()];
      await log.append(stream, NO_STREAM, [noted(), noted(), noted()], metadata);
      await log.append(other, NO_STREAM, [noted()], metadata);
      await log.append(stream, 2, [noted(), noted()], metadata);
      const { events } = await log.read(stream);
      for (const [from, to] of [
        [0, 0],
        [0, 4],
        [1, 3],
        [4, 4],
      ] as const) {
        const part = { events: events.slice(from, to + 1), revision: to };
        expect(await log.read(stream, { from, to }), `${from} to ${to}`).to.deep.equal(part);
      }
      for (const last of [1, 2, 4, 5, 6, 100]) {
        const part = { events: events.slice(-last), revision: 4 };
        expect(await log.read(stream, { last }), `the last ${last}`).to.deep.equal(part);
        for (const from of [0, 1, 3, 4, 5, 9]) {
          const later = part.events.filter(({ revision }) => revision >= from);
          const found = await log.read(stream, { last, from });
          expect(found, `the last ${last} from ${from}`).to.deep.equal({ events: later, revision: 4 });
        }
      }
      for (const part of [{ last: 100, from: 3 }, { last: 1 }]) {
        expect(await log.read(newStream(), part)).to.deep.equal({ events: [], revision: NO_STREAM });
      }
    });

    it('gives of large events all or, of a part, as many as take some MiB: its first, or the last up to the end', async () => {
      const stream = newStream();
      const ids: string[] = [];
      for (let revision = NO_STREAM; revision < 14; revision += 1) {
        const event = noted({ text: 'x'.repeat(MEBIBYTE / 2) });
        ids.push(event.id);
        await log.append(stream, revision, [event], metadata);
      }
      const idsOf = async (part?: StreamPart) => (await log.read(stream, part)).events.map(({ id }) => id);
      const most = READ_BYTES / (MEBIBYTE / 2);
      expect(await idsOf()).to.deep.equal(ids);
      for (const found of [await idsOf({ last: 15 }), await idsOf({ last: 15, from: 2 })]) {
        expect(found.length).to.be.within(most - 1, most + 1);
        expect(found).to.deep.equal(ids.slice(-found.length));
      }
      const { events, revision } = await log.read(stream, { from: 1, to: 14 });
      expect(events.length).to.be.within(most - 1, most + 1);
      expect(events.map(({ id }) => id)).to.deep.equal(ids.slice(1, 1 + events.length));
      expect(revision).to.equal(events.length);
      expect(await idsOf({ from: revision + 1, to: 14 })).to.deep.equal(ids.slice(revision + 1));
    });

    for (const [title, expected] of [
      ['before the present revision', NO_STREAM],
      ['beyond the present revision', 5],
    ] as const) {
      it(`refuses an append ${title}, which the refusal names`, async () => {
        const stream = newStream();
        await log.append(stream, NO_STREAM, [noted(), noted()], metadata);
        const refused = await rejection(log.append(stream, expected, [noted()], metadata));

        expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', 1);
        expect((await log.read(stream)).revision).to.equal(1);
      });
    }

    it('refuses an append at a revision of a stream without events', async () => {
      const refused = await rejection(log.append(newStream(), 0, [noted()], metadata));
      expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', NO_STREAM);
    });

    it('stores all events of an append or none', async () => {
      const stream = newStream();
      const many = Array.from({ length: 300 }, (_, n) => noted({ n }));
      await log.append(stream, NO_STREAM, many, metadata);
      await rejection(
        log.append(
          stream,
          NO_STREAM,
          many.map(({ data }) => noted(data)),
          metadata,
        ),
      );
      const { events } = await log.read(stream);

      expect(events.map(({ id }) => id)).to.deep.equal(many.map(({ id }) => id));
    });

    it('refuses by itself an append that JSON cannot express as objects', async () => {
      const [good, bad] = [newStream(), newStream()];
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;
      const [stored, ...refused] = await Promise.allSettled([
        log.append(good, NO_STREAM, [noted()], metadata),
        log.append(bad, NO_STREAM, [noted({ large: 1n })], metadata),
        log.append(bad, NO_STREAM, [noted(), noted(cyclic)], metadata),
        log.append(bad, NO_STREAM, [noted([1])], metadata),
        log.append(bad, NO_STREAM, [noted(new Date())], metadata),
      ]);

      expect(stored.status).to.equal('fulfilled');
      expect(refused.map(({ status }) => status)).to.deep.equal(Array(4).fill('rejected'));
      expect((await log.read(bad)).revision).to.equal(NO_STREAM);
      expect((await log.append(bad, NO_STREAM, [noted()], metadata)).revision).to.equal(0);
    });

    it('keeps texts and keys as they are', async () => {
      const stream = newStream();
      const data: unknown = JSON.parse(
        '{"__proto__": {"admin": true}, "constructor": 1, "": "", "text": "Ünïcödé 日本 🚲 \\u0000 \\ud83d \\u2028 \'\\"--"}',
      );
      await log.append(stream, NO_STREAM, [noted(data as object, 'NötizGeschrieben🚲')], metadata);
      const [event] = (await log.read(stream)).events;

      expect(JSON.stringify(event?.data)).to.equal(JSON.stringify(data));
      expect(event?.type).to.equal('NötizGeschrieben🚲');
      expect(({} as { admin?: boolean }).admin).to.equal(undefined);
    });

    it('takes events of 256 KiB', async () => {
      const stream = newStream();
      const texts = ['a', 'é', '日'].map((letter) => letter.repeat((256 * 1024) / Buffer.byteLength(letter)));
      for (const [index, text] of texts.entries()) await log.append(stream, index - 1, [noted({ text })], metadata);
      const stored = [...(await log.read(stream)).events, ...(await eventsOf(log, [stream], start))];

      expect(stored.map(({ data }) => (data as { text: string }).text)).to.deep.equal([...texts, ...texts]);
    });
  });

  describe('repeating an append', () => {
    it('answers as the first time and stores nothing', async () => {
      const stream = newStream();
      const events = [noted(), noted()];
      const first = await log.append(stream, NO_STREAM, events, metadata);

      expect(await log.append(stream, NO_STREAM, events, metadata)).to.deep.equal(first);
      expect((await log.read(stream)).revision).to.equal(1);
    });

    it('answers as the first time after others have written', async () => {
      const stream = newStream();
      const events = [noted(), noted()];
      await log.append(stream, NO_STREAM, [noted()], metadata);
      const first = await log.append(stream, 0, events, metadata);
      await log.append(stream, 2, [noted()], metadata);
      await log.append(newStream(), NO_STREAM, [noted()], metadata);

      expect(await log.append(stream, 0, events, metadata)).to.deep.equal(first);
      expect((await log.read(stream)).revision).to.equal(3);
    });

    it('stores it once when both are under way', async () => {
      const stream = newStream();
      const events = [noted()];
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => log.append(stream, NO_STREAM, events, metadata)),
      );

      expect(new Set(answers.map(({ position }) => position)).size).to.equal(1);
      expect((await log.read(stream)).revision).to.equal(0);
    });

    it('is a conflict when the events are others, in another order or more', async () => {
      const stream = newStream();
      const [a, b] = [noted(), noted()];
      await log.append(stream, NO_STREAM, [a, b], metadata);
      for (const events of [
        [noted(), noted()],
        [b, a],
        [a, noted()],
        [a, b, noted()],
      ]) {
        const refused = await rejection(log.append(stream, NO_STREAM, events, metadata));
        expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', 1);
      }
    });
  });

  describe('many at once', () => {
    it('lets exactly one of 50 have a revision', async () => {
      const stream = newStream();
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () => rejection(log.append(stream, NO_STREAM, [noted()], metadata))),
      );

      expect(outcomes.filter((outcome) => outcome === undefined)).to.have.length(1);
      expect(outcomes.filter((outcome) => outcome instanceof RevisionConflict && outcome.actual === 0)).to.have.length(
        49,
      );
      expect((await log.read(stream)).revision).to.equal(0);
    });

    it('stores an append without a conflict beside one with a conflict', async () => {
      const taken = newStream();
      await log.append(taken, NO_STREAM, [noted()], metadata);
      const streams = Array.from({ length: 20 }, newStream);
      const appends = streams.map((stream) => log.append(stream, NO_STREAM, [noted()], metadata));
      const late = streams.map(() => rejection(log.append(taken, NO_STREAM, [noted()], metadata)));

      for (const { revision } of await Promise.all(appends)) expect(revision).to.equal(0);
      for (const refused of await Promise.all(late)) expect(refused).to.be.instanceOf(RevisionConflict);
      expect(await eventsOf(log, streams, start)).to.have.length(20);
    });

    it('shows 200 streams that grow at once to a subscriber in order, without a hole', async () => {
      const streams = Array.from({ length: 200 }, newStream);
      const following = subscribed(log, streams.length, streams, start);
      const appended = await Promise.all(
        streams.map((stream, n) => log.append(stream, NO_STREAM, [noted({ n })], metadata)),
      );
      const seen = (await following).map(({ position }) => position);

      expect(seen).to.deep.equal([...seen].sort());
      expect(new Set(seen)).to.deep.equal(new Set(appended.map(({ position }) => position)));
      expect(seen).to.have.length(200);
    });

    it('keeps the order of every stream and of the whole, however appends mix', async () => {
      const plans = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const from = await log.end();
          const streams = Array.from({ length: 4 }, newStream);
          const lists = streams.map((stream) => ({ stream, ids: [] as string[] }));
          const appends = plan.map(([index, count]) => {
            const { stream, ids } = lists[index]!;
            const events = Array.from({ length: count }, () => noted());
            const expected = ids.length - 1;
            ids.push(...events.map(({ id }) => id));
            return log.append(stream, expected, events, metadata);
          });
          await Promise.all(appends);

          const seen = await eventsOf(log, streams, from);
          expect(seen.map(({ position }) => position)).to.deep.equal(seen.map(({ position }) => position).sort());
          for (const { stream, ids } of lists) {
            const { events } = await log.read(stream);
            expect(events.map(({ id }) => id)).to.deep.equal(ids);
            expect(seen.filter((event) => event.stream === stream)).to.deep.equal(events);
          }
        }),
        { numRuns: 20 },
      );
    });
  });

  itHoldsTheBoundOfEvents(() => log);
  itReadsTheWholeLog(() => ({ log, start }));
  itStopsAtWhatCannotBeRead(() => ({ log, start, plant: opened.plant }));
}
