import { type parser } from 'peggy';
import { MAX_TEXT_BYTES } from '../../core/bounds.js';
import { termsOf, type Expression } from './expression.js';
import { FaultyQuery } from './faults.js';
import { parse, SyntaxError as ParseError } from './generated/parser.js';

/** Of parentheses. */
const MAX_LEVELS = 50;
/** Comparisons and relations. */
const MAX_TERMS = 100;

/** Throws a Problem that says where the text is none of the language, and what was expected there. */
export function parsed(text: string): Expression {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    throw new FaultyQuery([{ message: `A query takes at most ${MAX_TEXT_BYTES} bytes` }]);
  }
  const expression = read(text);
  const excess = termsOf(expression)[MAX_TERMS];
  if (excess === undefined) return expression;
  throw new FaultyQuery([{ at: excess.at, message: `A query holds at most ${MAX_TERMS} comparisons and relations` }]);
}

function read(text: string): Expression {
  try {
    const expression: unknown = parse(text, { levels: MAX_LEVELS });
    if (isExpression(expression)) return expression;
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw new FaultyQuery([{ at: error.location.start, message: messageOf(error) }]);
  }
  throw new Error('The grammar of TQL makes something else');
}

const isParseError = (error: unknown): error is parser.SyntaxError => error instanceof ParseError;

/** The grammar makes nothing else. */
const isExpression = (value: unknown): value is Expression => typeof value === 'object' && value !== null;

/** Blanks may stand anywhere. No field takes OPEN(), and no link is of the type of the other two. */
const UNNAMED: ReadonlySet<string> = new Set(['white space', 'OPEN', 'COVERED', 'COVERING']);

function messageOf({ message, expected, found }: parser.SyntaxError): string {
  // A message of the grammar itself.
  if (!Array.isArray(expected)) return message;
  const names = new Set(expected.map(nameOf).filter((name) => !UNNAMED.has(name)));
  return `Expected ${[...names].sort().join(' or ')}, but found ${found === null ? 'the end' : JSON.stringify(found)}`;
}

function nameOf(expected: parser.Expectation): string {
  switch (expected.type) {
    case 'literal':
      return expected.ignoreCase ? expected.text.toUpperCase() : expected.text;
    case 'class':
      return expected.parts.flat().join(' or ');
    case 'end':
      return 'the end';
    case 'any':
      return 'a character';
    case 'other':
      return expected.description;
  }
}
