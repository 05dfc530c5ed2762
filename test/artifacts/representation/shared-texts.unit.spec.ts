import { expect } from 'chai';
import fc from 'fast-check';
import { ownSize, sharedTexts } from '../../../src/artifacts/representation/answers/shared-texts.js';

describe('texts that answers share', () => {
  const long = (word: string): string => word.repeat(Math.ceil(300 / word.length));

  it('are one text, counted once, for as long as somebody holds it', () => {
    const texts = sharedTexts();
    const first = texts.hold(['[', long('a'), ',', long('b'), ']']);
    const second = texts.hold(['[', long('b'), ']']);
    expect(first.join('')).to.equal(`[${long('a')},${long('b')}]`);
    expect(second.join('')).to.equal(`[${long('b')}]`);
    expect(texts.size()).to.equal(600);
    texts.release(first);
    expect(texts.size()).to.equal(300);
    texts.release(second);
    expect(texts.size()).to.equal(0);
  });

  it('count two bytes for each character where one is beyond Latin-1', () => {
    const texts = sharedTexts();
    const held = texts.hold([`${'a'.repeat(299)}–`]);
    expect(texts.size()).to.equal(600);
    texts.release(held);
    expect(texts.size()).to.equal(0);
  });

  it('leave short ones to each holder, who counts them', () => {
    const texts = sharedTexts();
    texts.hold(['short', 'short']);
    expect(texts.size()).to.equal(0);
    expect(ownSize(['short', 'short'])).to.equal(2 * (5 + 8));
    expect(ownSize([long('a')])).to.equal(8);
  });

  it('are counted for each holder once many others look alike', () => {
    const texts = sharedTexts();
    // None of the characters that are looked at differs.
    const alike = Array.from({ length: 20 }, (_, nth) => `${'x'.repeat(30)}${nth + 10}${'x'.repeat(10_000)}`);
    const held = alike.flatMap((text) => [texts.hold([text]), texts.hold([text])]);
    expect(held.map(([text]) => text)).to.deep.equal(alike.flatMap((text) => [text, text]));
    expect(texts.size()).to.equal((8 + 2 * 12) * 10_032);
    for (const parts of held) texts.release(parts);
    expect(texts.size()).to.equal(0);
  });

  it('come and go in any order', () => {
    const words = fc.constantFrom('a', 'b', 'cd', 'ef', 'ghi');
    const steps = fc.array(fc.oneof(fc.array(words, { maxLength: 6 }), fc.nat()), { maxLength: 60 });
    const law = fc.property(steps, (all) => {
      const texts = sharedTexts();
      const held: (readonly string[])[] = [];
      for (const step of all) {
        if (typeof step === 'number') texts.release(held.splice(step % (held.length || 1), 1)[0] ?? []);
        else held.push(texts.hold(step.map(long)));
        const distinct = [...new Set(held.flat())];
        expect(texts.size()).to.equal(distinct.join('').length);
      }
    });
    fc.assert(law);
  });
});
