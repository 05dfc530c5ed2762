import { expect } from 'chai';
import fc from 'fast-check';
import {
  type EventLog,
  NO_STREAM,
  type Position,
  type Recorded,
  type StreamName,
} from '../../../src/core/event-log.js';
import { eventStoreDbLog, type EventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { names } from '../../../src/stores/eventstoredb/codec.js';
import { type OnDouble, onDouble, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { batchesOf, metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

const LONGER = `${PREFIX}two.`;

/** So few letters that one prefix often begins another. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 });
const prefix = word.map((text) => `a${text}.`);
const category = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
const id = fc.string({ unit: fc.constantFrom('a', '.', '-', '1'), minLength: 1, maxLength: 5 });
const stream = fc.tuple(category, id).map(([kind, of]): StreamName => `${kind}-${of}`);

describe('the names of streams on EventStoreDB', () => {
  it('lead back to the stream under their own prefix, and to none under any other', () => {
    fc.assert(
      fc.property(prefix, prefix, stream, (own, other, name) => {
        const stored = names(own).inStore(name);
        expect(names(own).inLog(stored)).to.equal(name);
        if (other !== own) expect(names(other).inLog(stored)).to.equal(null);
      }),
      { numRuns: 1000, examples: [[PREFIX, LONGER, 'artifact-1']] },
    );
  });

  it('are refused where they would not be found again', async () => {
    expect(() => names(PREFIX).inStore('two.artifact-1')).to.throw('two.artifact-1 is no name of a stream');
    for (const wrong of ['', 'ledger', 'led-ger.', '$ledger.']) {
      const refused = await rejection(eventStoreDbLog({ connectionString: 'esdb://localhost', prefix: wrong }));
      expect(String(refused), wrong).to.include('The prefix of streams');
    }
  });
});

describe('two installations on one EventStoreDB, the prefix of one beginning that of the other', () => {
  let on: OnDouble;
  let longer: EventStoreDbLog;

  beforeEach(async () => {
    on = await onDouble();
    const { connectionString } = on.double;
    longer = await eventStoreDbLog({ connectionString, prefix: LONGER, timing: SHORT });
  });

  afterEach(async () => {
    await longer.close();
    await on.close();
  });

  for (const [which, choose] of [
    ['the one with the shorter prefix', () => [on.log, longer]],
    ['the one with the longer prefix', () => [longer, on.log]],
  ] as const satisfies readonly (readonly [string, () => [EventLog, EventLog]])[]) {
    describe(which, () => {
      let own: EventLog;
      let other: EventLog;
      let shared: StreamName;
      let ids: { own: string[]; other: string[] };
      let end: Position;

      /** In turn, in streams of the same names; the other one has the first event on the server, and the last. */
      beforeEach(async () => {
        [own, other] = choose();
        shared = newStream();
        ids = { own: [], other: [] };
        for (let revision = NO_STREAM; revision < 20; revision += 1) {
          await append(other, ids.other, revision);
          if (revision < 19) end = await append(own, ids.own, revision);
        }
      });

      const append = async (log: EventLog, into: string[], revision: number): Promise<Position> => {
        const event = noted();
        into.push(event.id);
        return (await log.append(shared, revision, [event], metadata)).position;
      };

      it('has the streams for itself', async () => {
        const { events, revision } = await own.read(shared);
        expect(idsOf(events)).to.deep.equal(ids.own);
        expect(revision).to.equal(19);
      });

      it('reads the whole of its log, and no more, from the beginning and from a position', async () => {
        const read = async (after: Position | null) => (await batchesOf(own, after)).flatMap(({ events }) => events);
        const whole = await read(null);
        expect(idsOf(whole)).to.deep.equal(ids.own);
        expect(idsOf(await read(whole[9]!.position))).to.deep.equal(ids.own.slice(10));
        expect(await read(end)).to.deep.equal([]);
      });

      it('follows its log, and no more, while both go on', async () => {
        const stop = new AbortController();
        const seen: Recorded[] = [];
        const following = (async () => {
          for await (const { events } of own.subscribe(null, [], stop.signal)) {
            seen.push(...events);
            if (seen.some(({ revision }) => revision === 22)) stop.abort();
          }
        })();
        for (const revision of [19, 20, 21]) {
          await append(other, ids.other, revision + 1);
          await append(own, ids.own, revision);
        }
        await following;
        expect(idsOf(seen)).to.deep.equal(ids.own);
      });

      it('ends with its last event, wherever the other one ends', async () => {
        expect(await own.end()).to.equal(end);
        await append(other, ids.other, 20);
        expect(await own.end()).to.equal(end);
        const later = await append(own, ids.own, 19);
        expect(await own.end()).to.equal(later);
        expect(own.fractionAt(end, later)).to.be.within(0, 1);
        // Where the other one has gone on, a reader has come further than its own end.
        expect(own.fractionAt((await other.end())!, end)).to.equal(1);
      });
    });

    it(`${which} is empty until it begins, although the other one has events`, async () => {
      const [own, other] = choose();
      await other.append('artifact-1', NO_STREAM, [noted(), noted()], metadata);
      expect(await own.end()).to.equal(null);
      expect((await batchesOf(own, null)).flatMap(({ events }) => events)).to.deep.equal([]);
      expect((await own.read('artifact-1')).revision).to.equal(NO_STREAM);
      const first = noted();
      const { position } = await own.append('artifact-1', NO_STREAM, [first], metadata);
      expect((await batchesOf(own, null)).flatMap(({ events }) => events)[0]).to.include({ id: first.id, revision: 0 });
      expect(await own.end()).to.equal(position);
    });
  }
});

function idsOf(events: readonly Recorded[]): readonly string[] {
  return events.map(({ id }) => id);
}
