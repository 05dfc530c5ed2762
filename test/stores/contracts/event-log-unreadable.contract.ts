import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Batch,
  type EventLog,
  NO_STREAM,
  type Position,
  RevisionConflict,
  type StreamName,
  UnreadableEvent,
} from '../../../src/core/event-log.js';
import { metadata, newStream, noted, rejection } from './event-log-fixture.js';

export type Part = 'data' | 'metadata';

/** Puts an event to the end of a stream, past the log, of which one part is no JSON object, and holds the word secret. */
export type Plant = (stream: StreamName, type: string, part: Part) => void | Promise<void>;

export interface Planting {
  readonly log: EventLog;
  readonly start: Position | null;
  readonly plant: Plant;
}

interface Seen {
  readonly batches: readonly Batch[];
  /** What the reading has thrown. */
  readonly error: unknown;
}

/** The part of the contract about events that cannot be read; `current` gives the log of the test and its end before. */
export function itStopsAtWhatCannotBeRead(current: () => Planting): void {
  let log: EventLog;
  let start: Position | null;
  let plant: Plant;

  beforeEach(() => {
    ({ log, start, plant } = current());
  });

  const append = async (stream: StreamName, types: readonly string[], expected = NO_STREAM): Promise<Position> => {
    const events = types.map((type) => noted({}, type));
    return (await log.append(stream, expected, events, metadata)).position;
  };
  const read = async (batches: AsyncIterable<Batch>): Promise<Seen> => {
    const seen: Batch[] = [];
    try {
      for await (const batch of batches) seen.push(batch);
      return { batches: seen, error: undefined };
    } catch (error) {
      return { batches: seen, error };
    }
  };
  const typesIn = ({ batches }: Seen): readonly string[] =>
    batches.flatMap(({ events }) => events.map(({ type }) => type));
  const lastIn = ({ batches }: Seen): Position | null => batches.at(-1)?.position ?? null;

  const readings = {
    readAll: (after: Position | null, leftOut: readonly string[]) => log.readAll(after, leftOut),
    subscribe: (after: Position | null, leftOut: readonly string[]) =>
      log.subscribe(after, leftOut, new AbortController().signal),
  };

  describe('at an event that cannot be read', () => {
    for (const part of ['data', 'metadata'] as const) {
      it(`tells of a stream where it stands and that it is its ${part}, and not what there is`, async () => {
        const stream = newStream();
        await append(stream, ['A', 'B']);
        await plant(stream, 'C', part);
        const position = await log.end();
        await append(stream, ['D'], 2);
        const error = await rejection(log.read(stream));

        expect(error).to.be.instanceOf(UnreadableEvent);
        expect(error).to.deep.include({ type: 'C', stream, revision: 2, position });
        expect(error).to.have.property('reason', `its ${part} is no JSON object`);
        expect(String(error)).to.include(stream).and.to.include('revision 2').and.not.to.include('secret');
        expect(error).not.to.have.property('cause');
      });

      for (const [title, reading] of Object.entries(readings)) {
        it(`ends ${title} when its ${part} is wrong, after all events before it`, async () => {
          const [before, damaged] = [newStream(), newStream()];
          await append(before, ['A', 'B', 'A', 'C']);
          await append(damaged, ['A']);
          await plant(damaged, 'A', part);
          const position = (await log.end())!;
          await append(before, ['A'], 3);

          for (const leftOut of [[], ['B', 'C']]) {
            const seen = await read(reading(start, leftOut));
            expect(typesIn(seen).filter((type) => type === 'A')).to.deep.equal(['A', 'A', 'A']);
            expect(seen.error).to.be.instanceOf(UnreadableEvent).with.property('stream', damaged);
            expect(seen.error).to.deep.include({ type: 'A', revision: 1, position });
            expect(lastIn(seen)! < position).to.equal(true);

            const again = await read(reading(lastIn(seen), leftOut));
            expect(typesIn(again)).to.deep.equal([]);
            expect(again.error).to.be.instanceOf(UnreadableEvent).with.property('position', position);
          }
        });
      }
    }

    it('skips the event if its type is left out, and continues', async () => {
      const stream = newStream();
      await append(stream, ['A']);
      await plant(stream, 'B', 'data');
      const position = await log.end();
      const end = await append(stream, ['A', 'C'], 1);

      const past = await read(log.readAll(start, ['B']));
      expect(typesIn(past)).to.deep.equal(['A', 'A', 'C']);
      expect(past.error).to.equal(undefined);
      expect(lastIn(past)).to.equal(end);
      expect(typesIn(await read(log.readAll(position, [])))).to.deep.equal(['A', 'C']);

      const enough = new AbortController();
      const seen: string[] = [];
      for await (const { events } of log.subscribe(start, ['B'], enough.signal)) {
        seen.push(...events.map(({ type }) => type));
        if (seen.length >= 3) enough.abort();
      }
      expect(seen).to.deep.equal(['A', 'A', 'C']);
    });

    it('ends a waiting subscription when the event arrives', async () => {
      const stream = newStream();
      await append(stream, ['A']);
      const reading = log.subscribe(start, [], new AbortController().signal)[Symbol.asyncIterator]();
      expect((await reading.next()).value)
        .to.have.property('events')
        .with.length(1);
      const next = rejection(reading.next());
      await plant(stream, 'A', 'data');
      await append(newStream(), ['A']);
      expect(await next)
        .to.be.instanceOf(UnreadableEvent)
        .with.property('revision', 1);
      expect((await reading.next()).done).to.equal(true);
    });

    it('ends without an error if the signal aborts before the event', async () => {
      const stream = newStream();
      await append(stream, ['A']);
      await plant(stream, 'A', 'data');
      for (const reading of [log.readAll.bind(log), log.subscribe.bind(log)]) {
        const enough = new AbortController();
        const seen: Batch[] = [];
        for await (const batch of reading(start, [], enough.signal)) {
          seen.push(batch);
          enough.abort();
        }
        expect(seen.flatMap(({ events }) => events)).to.have.length(1);
      }
    });

    it('accepts appends to the stream of the event', async () => {
      const stream = newStream();
      const [events, others] = [[noted(), noted()], [noted()]];
      await plant(stream, 'A', 'data');
      const first = await log.append(stream, 0, events, metadata);
      expect(first.revision).to.equal(2);
      expect(await log.append(stream, 0, events, metadata)).to.deep.equal(first);
      for (const [expected, wanted] of [
        [NO_STREAM, others],
        [0, others],
        [NO_STREAM, [noted(), ...events]],
      ] as const) {
        const refused = await rejection(log.append(stream, expected, wanted, metadata));
        expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', 2);
      }
      await plant(stream, 'A', 'metadata');
      const late = await rejection(log.append(stream, 2, others, metadata));
      expect(late).to.be.instanceOf(RevisionConflict).with.property('actual', 3);
    });

    it('gives exactly the events not left out before the first of them that is damaged, wherever they stand', async () => {
      const one = fc.record({
        type: fc.constantFrom('A', 'B', 'C'),
        isDamaged: fc.integer({ max: 3 }).map((n) => n === 0),
      });
      const leftOut = fc.subarray(['A', 'B', 'C'], { minLength: 0 });
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), leftOut, async (plan, types) => {
          const from = await log.end();
          const stream = newStream();
          for (const [index, { type, isDamaged }] of plan.entries()) {
            if (isDamaged) await plant(stream, type, 'data');
            else await append(stream, [type], index - 1);
          }
          const isWanted = (type: string): boolean => !types.includes(type);
          const first = plan.findIndex(({ type, isDamaged }) => isDamaged && isWanted(type));
          const before = first === -1 ? plan : plan.slice(0, first);
          const seen = await read(log.readAll(from, types));

          expect(typesIn(seen)).to.deep.equal(before.map(({ type }) => type).filter(isWanted));
          if (first === -1) expect(seen.error).to.equal(undefined);
          else expect(seen.error).to.be.instanceOf(UnreadableEvent).with.property('revision', first);
        }),
        { numRuns: 25 },
      );
    });
  });
}
