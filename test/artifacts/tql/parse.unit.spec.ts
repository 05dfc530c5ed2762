import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Problem } from '../../../src/core/problem.js';
import { termsOf, type Expression } from '../../../src/artifacts/tql/expression.js';
import { trackerPageQuery } from '../../../src/artifacts/search/schemas.js';
import { parsed } from '../../../src/artifacts/tql/parse.js';
import { generatedParser, PARSER } from '../../support/tql-parser.js';

/** Without places. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === 'at' ? [] : [[name, plain(each)]])),
  );
}

const text = (value: string) => ({ type: 'text', text: value });
const number = (value: string) => ({ type: 'number', text: value });
const comparison = (name: string, operator: string, ...values: readonly object[]) => ({
  type: 'comparison',
  name,
  operator,
  values,
});
const relation = (not: boolean, direction: string, linkType: string | null, end: object | null = null) => ({
  type: 'relation',
  not,
  direction,
  linkType,
  end,
});
const [a, b, c] = ['a', 'b', 'c'].map((name) => comparison(name, '=', text('x')));

function expectParsed(query: string, expected: object): void {
  expect(plain(parsed(query)), query).to.deep.equal(expected);
}

function mistake(query: string): string {
  try {
    parsed(query);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.kind).to.equal('invalid');
    return error.message;
  }
  throw new Error(`${query} was accepted`);
}

const literalIn = (query: string): unknown => {
  const [term] = termsOf(parsed(query)) as readonly [Extract<Expression, { type: 'comparison' }>];
  return plain(term.values[0]);
};

describe('the grammar of TQL', () => {
  it('is done by what the grammar makes', () => {
    expect(readFileSync(PARSER, 'utf8') === generatedParser(), '`npm run parser` makes it anew').to.equal(true);
  });

  it('reads comparisons with each operator', () => {
    for (const operator of ['=', '!=', '<', '<=', '>', '>=']) {
      expectParsed(`points ${operator} 5`, comparison('points', operator, number('5')));
      expectParsed(`points${operator}5`, comparison('points', operator, number('5')));
    }
    expectParsed('a BETWEEN(1, 2.5)', comparison('a', 'BETWEEN', number('1'), number('2.5')));
    expectParsed('a between ( 1,2 ) ', comparison('a', 'BETWEEN', number('1'), number('2')));
    expectParsed('a IN ("x")', comparison('a', 'IN', text('x')));
    expectParsed("a In('x', 'y',)", comparison('a', 'IN', text('x'), text('y')));
    expectParsed('a not in("x" , )', comparison('a', 'NOT IN', text('x')));
  });

  it('binds AND more tightly than OR, and parentheses most tightly', () => {
    expectParsed('a="x" OR b="x" AND c="x"', { type: 'or', operands: [a, { type: 'and', operands: [b, c] }] });
    expectParsed('(a="x" OR b="x") AND c="x"', { type: 'and', operands: [{ type: 'or', operands: [a, b] }, c] });
    expectParsed(' \t\r\n\u00a0((a="x")) ', a!);
  });

  it('needs no blanks around its words, and reserves none of them', () => {
    expectParsed(`a="x"oR b="x"`, { type: 'or', operands: [a, b] });
    expectParsed(`a="x"ORb='x'aNDc="x"`, { type: 'or', operands: [a, { type: 'and', operands: [b, c] }] });
    for (const name of ['and', 'in', 'with', 'is', 'OR', 'a-b_3', '12', '@comments', '@last.x']) {
      expectParsed(`${name} = "x"`, comparison(name, '=', text('x')));
    }
  });

  it('reads strings with their escapes', () => {
    const strings: readonly (readonly [string, string])[] = [
      ['""', ''],
      [String.raw`"say \"x\" 'y'"`, `say "x" 'y'`],
      [String.raw`'say "x" \'y\''`, `say "x" 'y'`],
      [String.raw`"\\ \% \n \u"`, String.raw`\ % n u`],
      [String.raw`"\u41 B\u1F680  C"`, 'AB\u{1f680}C'],
      ['"a\\\nb\\\r\nc"', 'abc'],
      ['"tab\there"', 'tab\there'],
    ];
    for (const [written, expected] of strings) expect(literalIn(`a=${written}`), written).to.deep.equal(text(expected));
  });

  it('reads functions', () => {
    expect(literalIn('a = now()')).to.deep.equal({ type: 'now', shift: null });
    expect(literalIn('a = NOW ( ) - 12M')).to.deep.equal({ type: 'now', shift: { amount: -12, unit: 'm' } });
    expect(literalIn('a = NOW()+1d')).to.deep.equal({ type: 'now', shift: { amount: 1, unit: 'd' } });
    expect(literalIn('a = myself()')).to.deep.equal({ type: 'myself' });
    expect(literalIn('a = OPEN()')).to.deep.equal({ type: 'open' });
  });

  it('reads relations', () => {
    expectParsed('WITH PARENT', relation(false, 'from', '_is_child'));
    expectParsed('without parent artifact = 12', relation(true, 'from', '_is_child', { type: 'artifact', id: 12 }));
    for (const word of ['CHILD', 'CHILDREN']) expectParsed(`WITH ${word}`, relation(false, 'to', '_is_child'));
    const tracker = { type: 'tracker', operator: '!=', name: 'bug' };
    expectParsed('WITH CHILDREN TRACKER!="bug"', relation(false, 'to', '_is_child', tracker));
    expectParsed('IS LINKED TO', relation(false, 'to', null));
    expectParsed('IS NOT LINKED FROM WITH TYPE ""', relation(true, 'from', '', null));
    expectParsed(
      `is linked to tracker = 'bug' with type "_is_child"`,
      relation(false, 'to', '_is_child', { type: 'tracker', operator: '=', name: 'bug' }),
    );
    expectParsed('IS COVERED', relation(false, 'to', '_covered_by'));
    expectParsed('IS NOT COVERED BY ARTIFACT=7', relation(true, 'to', '_covered_by', { type: 'artifact', id: 7 }));
    expectParsed('IS COVERING ARTIFACT=7', relation(false, 'from', '_covered_by', { type: 'artifact', id: 7 }));
    expectParsed('WITH PARENT AND a="x"', { type: 'and', operands: [relation(false, 'from', '_is_child'), a] });
  });

  it('says line, column and what it expected', () => {
    const mistakes: readonly (readonly [string, string])[] = [
      [' ', 'line 1, column 2: Expected ( or IS or WITH or WITHOUT or the name of a field, but found the end'],
      ['a', 'line 1, column 2: Expected != or < or > or <= or = or >= or BETWEEN or IN or NOT IN, but found the end'],
      ['a = "x"\nAND b ! 5', 'line 2, column 7: Expected != or < or >'],
      ['a = "x" b = "y"', 'line 1, column 9: Expected AND or OR or the end, but found "b"'],
      ['a = -5', 'line 1, column 5: Expected MYSELF or NOW or a number or a text in quotes, but found "-"'],
      [
        'IS a',
        'line 1, column 4: Expected != or < or > or <= or = or >= or BETWEEN or IN or LINKED or NOT or NOT IN, but',
      ],
      ['a = "x', 'line 1, column 5: The text in quotes has no end'],
      [String.raw`a = "x" AND b IN ("y", "z\")`, 'line 1, column 24: The text in quotes has no end'],
      ['a = "x\ny"', String.raw`line 1, column 7: A text in quotes takes no line break; use \u00000a`],
      [
        String.raw`a = "b\a"`,
        String.raw`line 1, column 7: Unsupported escape \a; use \\ for a backslash, or \u and a number`,
      ],
      [
        String.raw`a = '\ud800'`,
        String.raw`line 1, column 6: \ud800 is not a character; use a number up to 10ffff, apart from`,
      ],
      [String.raw`a = "x\u110000 "`, String.raw`line 1, column 7: \u110000 is not a character; use`],
      ['(a = "x"', 'line 1, column 9: Expected ) or AND or OR, but found the end'],
      ['a IN ()', 'line 1, column 7: Expected MYSELF or'],
      ['a NOT  IN ("x")', 'line 1, column 3: Expected != or'],
      ['a BETWEEN (1, 2,)', 'line 1, column 16: Expected ), but found ","'],
      ['NOT a = 1', 'line 1, column 5: Expected != or'],
      ['a = 1 ORDER BY a', 'line 1, column 13: Expected !='],
      ['SELECT a FROM b WHERE c = 1', 'line 1, column 8: Expected != or'],
      ['WITH PARENT TRACKER = bug', 'line 1, column 23: Expected a text in quotes, but found "b"'],
      ['WITH PARENT WITH TYPE "x"', 'line 1, column 13: Expected AND or ARTIFACT or OR or TRACKER or the end'],
      ['IS LINKED TO ARTIFACT = "5"', 'line 1, column 25: Expected digits, but found "\\""'],
      ['// comment', 'line 1, column 1: Expected ( or IS'],
      ['a = NOW() + 1x', 'line 1, column 14: Expected d or w or m or y, but found "x"'],
    ];
    for (const [query, message] of mistakes) {
      expect(mistake(query), query).to.have.string(`expert_query, ${message}`);
    }
  });

  it('bounds levels, terms and length', () => {
    const nested = (levels: number): string => `${'('.repeat(levels)}a="x"${')'.repeat(levels)}`;
    expectParsed(nested(50), a!);
    expectParsed(`${nested(50)} OR ${nested(50)}`, { type: 'or', operands: [a, a] });
    expect(mistake(nested(51))).to.match(/line 1, column 5\d: Parentheses are nested more than 50 levels deep/);
    expect(mistake('('.repeat(60_000))).to.match(/nested more than 50/);

    const many = (terms: number): string => Array.from({ length: terms }, () => 'a="x"').join(' OR ');
    expect(termsOf(parsed(many(100)))).to.have.length(100);
    expect(mistake(many(101))).to.equal(
      'expert_query, line 1, column 901: A query holds at most 100 comparisons and relations',
    );
    expect(mistake(`a="${'x'.repeat(65_535)}"`)).to.match(/at most 65535 bytes/);
  });

  it('holds the example of the description of the API', () => {
    const { expert_query: asked } = trackerPageQuery['properties'] as { expert_query: { description: string } };
    const example = /`(.*)`/.exec(asked.description)?.[1] ?? '';
    expectParsed(example, {
      type: 'and',
      operands: [comparison('status_id', '=', text('Open')), comparison('title', '!=', text('pump'))],
    });
  });
});
