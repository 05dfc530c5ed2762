import { expect } from 'chai';
import { lineOf } from '../../src/operations/control-protocol.js';
import { joinedParts, partsOf, type ValuePart } from '../../src/operations/value-parts.js';

const LARGEST = 300_000;

const sent = (value: unknown): readonly string[] => [...partsOf(value)].map(lineOf);

function received(lines: readonly string[]): unknown {
  const parts = joinedParts();
  for (const line of lines) parts.add(JSON.parse(line) as ValuePart);
  return parts.whole();
}

describe('a value in parts', () => {
  it('is one part if it is small', () => {
    const values = [null, 7, 'text', [], {}, { file: { users: [{ username: 'ann' }] }, prune: false }];
    for (const value of values) {
      expect(sent(value)).to.have.length(1);
      expect(received(sent(value))).to.deep.equal(value);
    }
  });

  it('comes in lines that are short, however its members are nested', () => {
    const users = Array.from({ length: 20_000 }, (_, nth) => ({ username: `u${nth}`, real_name: 'U' }));
    const fields = Array.from({ length: 20_000 }, (_, nth) => ({ name: `f${nth}`, values: [null, [nth, 'x']] }));
    const value = { file: { users, projects: [{ shortname: 'p', trackers: [{ fields }, {}] }] }, env: {} };
    const lines = sent(value);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.lessThan(LARGEST);
    expect(received(lines)).to.deep.equal(value);
  });

  it('may have a member __proto__, which is a name as any other', () => {
    const long = Array.from({ length: 40_000 }, (_, nth) => `text ${nth}`);
    const text = JSON.stringify({ own: { long } }).replace('own', '__proto__');
    const lines = sent(JSON.parse(text));
    expect(lines.length).to.be.above(1);
    expect(JSON.stringify(received(lines))).to.equal(text);
    const parts = joinedParts();
    parts.add({ at: [], value: {} });
    expect(() => {
      parts.add({ at: ['__proto__', 'polluted'], value: true });
    }).to.throw('A part has no place: __proto__');
    expect({}).to.not.have.property('polluted');
  });

  it('has one line for each part, whatever its texts hold', () => {
    const value = { label: 'a\nb\u2028c\u2029d\\u2028\ud800' };
    const [line, ...others] = sent(value);
    expect(others).to.deep.equal([]);
    expect(line).to.not.match(/[\u2028\u2029]|\n./);
    expect(received([line!])).to.deep.equal(value);
  });
});
