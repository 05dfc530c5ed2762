import { expect } from 'chai';
import fc from 'fast-check';
import { type Position } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { positionOf, fractionOf, storePosition } from '../../../src/stores/eventstoredb/codec.js';
import { isBefore, type Place } from '../../support/eventstoredb/double-log.js';

/** The greatest int64, to which a server can count. */
const LAST = 2n ** 63n - 1n;
/** From here on numbers leave out every other one. */
const INEXACT = 2n ** 53n;

const part = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: INEXACT - 3n, max: INEXACT + 300n }),
  fc.bigInt({ min: LAST - 300n, max: LAST }),
  fc.bigInt({ min: 0n, max: LAST }),
);
const place = fc.record<Place>({ commit: part, prepare: part });
const step = fc.constantFrom(-1n, 0n, 1n);
/** A second place that is often the next one, or differs in one of the two parts alone. */
const two = fc.oneof(
  fc.tuple(place, place),
  fc.tuple(place, step, step).map(([one, up, on]): [Place, Place] => {
    return [one, { commit: within(one.commit + up), prepare: within(one.prepare + on) }];
  }),
);

describe('positions in EventStoreDB', () => {
  it('come back from their text exactly, commit and prepare alike', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(storePosition(positionOf(one))).to.deep.equal(one);
      }),
      { examples: [[at(INEXACT + 1n, INEXACT + 3n)], [at(LAST, LAST - 1n)]] },
    );
  });

  it('have texts that are ordered as they are', () => {
    fc.assert(
      fc.property(two, ([one, other]) => {
        const [text, otherText] = [positionOf(one), positionOf(other)];
        expect(text < otherText).to.equal(isBefore(one, other));
        expect(text > otherText).to.equal(isBefore(other, one));
      }),
      {
        numRuns: 500,
        examples: [
          [[at(INEXACT, INEXACT), at(INEXACT + 1n, 0n)]],
          [[at(LAST, INEXACT), at(LAST, INEXACT + 1n)]],
          [[at(9n, 0n), at(10n, 0n)]],
        ],
      },
    );
  });

  it('are texts that sort by code units in every locale', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(positionOf(one)).to.match(/^[0-9a-f]{32}$/);
      }),
    );
  });

  it('are refused where they are none', () => {
    const written = fc.string({ maxLength: 40 }).filter((text) => !/^[0-9a-f]{32}$/.test(text));
    fc.assert(
      fc.property(written, (text) => {
        expect(() => storePosition(text as Position))
          .to.throw(Problem)
          .with.property('kind', 'invalid');
      }),
      { examples: [['0'.repeat(31)], ['0'.repeat(33)], ['G'.repeat(32)], ['F'.repeat(32)], [`${'0'.repeat(32)}\n`]] },
    );
  });

  it('are not taken from a server that does not know them', () => {
    expect(() => positionOf(at(2n ** 64n - 1n, 2n ** 64n - 1n))).to.throw('too old');
  });

  it('tell how far along they are: never beyond the end, and never less than one before', () => {
    fc.assert(
      fc.property(two, place, ([one, other], end) => {
        const [first, second] = isBefore(other, one) ? [other, one] : [one, other];
        const share = (of: Place): number => fractionOf(positionOf(of), positionOf(end));
        const later = share(second);
        expect(share(first)).to.be.within(0, later);
        expect(later).to.be.at.most(1);
        if (end.commit > 0n) expect(share(end)).to.equal(1);
      }),
    );
  });
});

function at(commit: bigint, prepare: bigint): Place {
  return { commit, prepare };
}

function within(value: bigint): bigint {
  if (value < 0n) return 0n;
  return value > LAST ? LAST : value;
}
