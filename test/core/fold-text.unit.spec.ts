import { expect } from 'chai';
import fc from 'fast-check';
import { foldText } from '../../src/core/text/spelling.js';

const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
/** Those that join letters to one character. */
const marks = [...new Set(characters.flatMap((each) => each.normalize('NFD').match(/\p{M}/gu) ?? []))];
const cased = characters.filter((each) => each.toLowerCase() !== each.toUpperCase());

/** What a reader takes for one character. */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const charactersOf = (text: string): readonly string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

const letters = 'A b Σ σ ς Ο İ I ı ß H h J j ẗ Å K Ω ᾳ 가 각 ᄀ \u1161 \u11a8 - .'.split(' ');
const text = fc.oneof(fc.string({ unit: fc.constantFrom(' ', ...letters, ...marks) }), fc.string({ unit: 'binary' }));

describe('a folded text', () => {
  it('is the same in upper and lower case, composed and decomposed', () => {
    expect(foldText('ÉCOLE')).to.equal('école');
    expect(foldText('E\u0301COLE')).to.equal('école');
    expect(foldText('ΟΔΟΣ')).to.equal(foldText('οδος'));
  });

  it('stays as it is', () => {
    const marked = cased.flatMap((letter) => ['', ...marks].map((mark) => letter + mark));
    expect(marked.map(foldText).filter((each) => foldText(each) !== each)).to.deep.equal([]);
    fc.assert(fc.property(text, (given) => foldText(foldText(given)) === foldText(given)));
  });

  it('is that of any equivalent text', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('NFC', 'NFD'),
        (given, form) => foldText(given.normalize(form)) === foldText(given),
      ),
    );
  });

  it('is the text of its folded characters: a part that cuts none is found', () => {
    fc.assert(
      fc.property(text, (given) => charactersOf(given).map(foldText).join('') === foldText(given)),
      { numRuns: 1000 },
    );
    expect(foldText('ΟΔΟΣΗΜΑ')).to.include(foldText('ΟΔΟΣ'));
  });

  it('takes no longer where a character has a million marks', () => {
    const overloaded = `E\u0301A${'\u0301'.repeat(500_000)}${'\u0316'.repeat(500_000)} E\u0301`;
    expect(foldText(overloaded)).to.equal(`éa${overloaded.slice(3, -3)} é`);
  });

  it('of any length stays as it is', () => {
    const marksOnOne = fc.array(fc.constantFrom(...marks), { minLength: 28, maxLength: 70 });
    const long = fc
      .array(fc.tuple(text, fc.constantFrom(...letters), marksOnOne), { minLength: 1, maxLength: 5 })
      .map((parts) => 'A'.repeat(1000) + parts.map(([some, letter, run]) => some + letter + run.join('')).join(''));
    fc.assert(fc.property(long, (given) => foldText(foldText(given)) === foldText(given)));
  });
});
