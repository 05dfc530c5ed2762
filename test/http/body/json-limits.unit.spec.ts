import { expect } from 'chai';
import fc from 'fast-check';
import { Problem } from '../../../src/core/problem.js';
import { checkJson } from '../../../src/http/body/json-limits.js';

const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;

/** What is wrong with a text before it is parsed; undefined when nothing is. */
function fault(source: string): string | undefined {
  try {
    checkJson(source);
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return error.message;
    throw error;
  }
}

interface Measured {
  readonly depth: number;
  readonly values: number;
  readonly isUnicode: boolean;
}

/** The same of a parsed document, value by value. */
function measured(value: unknown, depth = 0): Measured {
  const own = { depth, values: 1, isUnicode: typeof value !== 'string' || isUnicode(value) };
  if (typeof value !== 'object' || value === null) return own;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return Object.values(value).reduce<Measured>(
    (whole, child) => {
      const part = measured(child, depth + 1);
      return {
        depth: Math.max(whole.depth, part.depth),
        values: whole.values + part.values,
        isUnicode: whole.isUnicode && part.isUnicode,
      };
    },
    { ...own, isUnicode: own.isUnicode && names.every(isUnicode) },
  );
}

const isUnicode = (text: string): boolean => !/\p{Surrogate}/u.test(text);

function parsed(source: string): unknown {
  try {
    return { document: JSON.parse(source) as unknown };
  } catch {
    return undefined;
  }
}

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', ']', '{', '}', ':', 'u', 'd8', '\ud83d', '\ude00', '\n') }),
);
const documents = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.oneof(words, fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Every character that may be escaped is, or spaces stand wherever they may. */
const spellings: readonly ((document: unknown) => string)[] = [
  (document) => JSON.stringify(document),
  (document) => JSON.stringify(document, null, '\t'),
  (document) =>
    JSON.stringify(document, null, ' \r').replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    ),
];

const nested = (depth: number, inside = ''): string => '['.repeat(depth) + inside + ']'.repeat(depth);

describe('The limits of a JSON text', () => {
  it('hold for a text as for the document that it means', () => {
    fc.assert(
      fc.property(documents, fc.constantFrom(...spellings), (document, spelt) => {
        const { depth, isUnicode: isText } = measured(document);
        expect(fault(spelt(document)) === undefined).to.equal(depth <= MAX_DEPTH && isText);
      }),
      { numRuns: 500 },
    );
  });

  it('hold to the level', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('[', '{'), { minLength: 60, maxLength: 70 }),
        fc.constantFrom('', '1', '[]', ' { } ', '"[[["', '[[]]'),
        fc.constantFrom('', ' ', '\n\t\r '),
        (open, inside, space) => {
          const start = open.map((bracket) => (bracket === '[' ? `[${space}` : `{${space}"a":`)).join('');
          const end = open.map((bracket) => (bracket === '[' ? ']' : `${space}}`));
          const isWhole = inside !== '' || open.at(-1) === '[';
          const source = start + (isWhole ? inside : '1') + end.reverse().join(space);
          const { depth } = measured(JSON.parse(source));
          expect(fault(source) === undefined, source).to.equal(depth <= MAX_DEPTH);
        },
      ),
    );
  });

  it('hold to the value', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3, max: 3 }), fc.constantFrom('1', '[]', '{}', '"a,b"'), (more, item) => {
        const source = JSON.stringify({ a: [], b: [[1], { c: ',' }] });
        const { values } = measured(JSON.parse(source));
        const items = Array.from({ length: MAX_VALUES - values - 2 + more }, () => item);
        const whole = `[${source}, [${items.join(' , ')}]]`;
        expect(measured(JSON.parse(whole)).values).to.equal(MAX_VALUES - 1 + more + 1);
        expect(fault(whole) === undefined).to.equal(more <= 0);
      }),
      { numRuns: 30 },
    );
  });

  it('count members of one name each', () => {
    expect(fault(`{${'"a":1,'.repeat(MAX_VALUES)}"a":1}`)).to.match(/more than 20000 values/);
    expect(fault(String.raw`{"a":"\ud800","a":1}`)).to.match(/not Unicode/);
  });

  it('leave it to the parser to refuse a text that is no JSON, cut off or changed anywhere', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.string({ maxLength: 2 }), fc.boolean(), (document, place, put, isCut) => {
        const whole = JSON.stringify(document);
        const at = place % (whole.length + 1);
        const changed = isCut ? whole.slice(0, at) : whole.slice(0, at) + put + whole.slice(at + put.length);
        // As it comes out of bytes.
        const source = Buffer.from(changed).toString();
        const result = parsed(source);
        // Refused one way or the other; looking for faults throws nothing but refusals.
        const found = fault(source);
        if (result === undefined) return;
        const { depth, isUnicode: isText } = measured((result as { document: unknown }).document);
        if (found === undefined) expect(depth <= MAX_DEPTH && isText).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are found before a text is read to its end', () => {
    expect(fault('['.repeat(1_000_000))).to.match(/deeper than 64 levels/);
    expect(fault(`${nested(66)} no JSON`)).to.match(/deeper than 64 levels/);
    expect(fault(`[${'1,'.repeat(60_000)}`)).to.match(/more than 20000 values/);
    expect(fault(`${nested(65)} no JSON`)).to.equal(undefined);
  });
});
