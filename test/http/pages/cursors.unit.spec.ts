import { expect } from 'chai';
import fc from 'fast-check';
import { cursors } from '../../../src/http/pages/cursors.js';

const cursor = fc.record(
  {
    before: fc.nat(),
    after: fc.record({
      id: fc.oneof(fc.nat(), fc.string({ minLength: 1 })),
      values: fc.array(fc.oneof(fc.nat(), fc.string({ unit: 'binary' }), fc.constant(null)), { maxLength: 5 }),
    }),
  },
  { requiredKeys: ['before'] },
);

describe('cursors', () => {
  it('say what was written, to each process of the installation', () => {
    fc.assert(
      fc.property(cursor, fc.string(), (written, list) => {
        const text = cursors(['first', 'second']).write(list, written);
        expect(text).to.match(/^[\w-]+$/);
        expect(cursors(['first', 'second']).read(list, text)).to.deep.equal(written);
      }),
    );
  });

  it('outlive a change of the secret for as long as the earlier one is known', () => {
    const text = cursors(['old']).write('list', { before: 5 });
    expect(cursors(['new', 'old']).read('list', text)).to.deep.equal({ before: 5 });
    expect(cursors(['new']).read('list', text)).to.equal(null);
    expect(cursors(['old']).read('list', cursors(['new', 'old']).write('list', { before: 5 }))).to.equal(null);
  });

  it('are nothing to another list, nor changed in any place', () => {
    const { write, read } = cursors(['secret']);
    fc.assert(
      fc.property(
        cursor,
        fc.string(),
        fc.string(),
        fc.nat(),
        fc.base64String({ minLength: 1, maxLength: 4 }),
        (...all) => {
          const [written, list, other, at, letters] = all;
          const text = write(list, written);
          if (list !== other) expect(read(other, text)).to.equal(null);
          const place = at % text.length;
          const changed = `${text.slice(0, place)}${letters}${text.slice(place + letters.length)}`;
          if (changed !== text) expect(read(list, changed)).to.equal(null);
          expect(read(list, text.slice(0, place))).to.equal(null);
          expect(read(list, letters)).to.equal(null);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('know how many items come before the same place, and in which list', () => {
    const { write, read } = cursors(['secret']);
    const after = { id: 7, values: [] };
    for (const list of ['one', 'other', 'one']) {
      for (const before of [3, 4, 4, 3]) expect(read(list, write(list, { before, after }))?.before).to.equal(before);
    }
  });

  it('are not made without a secret', () => {
    expect(() => cursors([])).to.throw('no key');
  });
});
