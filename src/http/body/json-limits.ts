/**
 * What a JSON document may be like, beyond its size in bytes: looked at before it is parsed, in one pass over its text.
 * Of a text that is no JSON, all is looked at that the parser reads before it finds out.
 */
import { invalidAt, invalidIn, type Problem } from '../../core/problem.js';

const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;

const codeOf = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [codeOf('"'), codeOf('\\'), codeOf(',')] as const;
const [LIST, LIST_END, OBJECT, OBJECT_END] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')] as const;
const [LETTER_U, LETTER_A, LETTER_D] = [codeOf('u'), codeOf('a'), codeOf('d')] as const;
const [DIGIT_8, DIGIT_9] = [codeOf('8'), codeOf('9')] as const;

/** Members of one name are counted each. The text is that of a parameter, or else the body. */
export function checkJson(source: string, parameter?: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(source, at, parameter);
    else if (unit === COMMA) values += 1;
    else if (isEnd(unit)) depth -= 1;
    else if (isStart(unit)) {
      depth += 1;
      values += firstChildren(source, at, depth, parameter);
    }
    if (values > MAX_VALUES) throw refusal(parameter, `holds more than ${MAX_VALUES} values`);
  }
}

const refusal = (parameter: string | undefined, message: string): Problem =>
  parameter === undefined ? invalidIn('', `the body ${message}`) : invalidAt(parameter, message);

/** 1, or 0 in an empty list or object; the others each follow a comma. */
function firstChildren(source: string, at: number, depth: number, parameter?: string): 0 | 1 {
  let next = at + 1;
  while (isSpace(source.charCodeAt(next))) next += 1;
  if (isEnd(source.charCodeAt(next))) return 0;
  if (depth > MAX_DEPTH) throw refusal(parameter, `is nested deeper than ${MAX_DEPTH} levels`);
  return 1;
}

const isStart = (unit: number): boolean => unit === LIST || unit === OBJECT;
const isEnd = (unit: number): boolean => unit === LIST_END || unit === OBJECT_END;
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function endOfString(source: string, start: number, parameter?: string): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at = endOfEscape(source, at, parameter);
  }
  return source.length;
}

/** Text that is no Unicode is refused because no store would give it back as it came. */
function endOfEscape(source: string, at: number, parameter?: string): number {
  const half = halfOfPair(source, at);
  if (half === undefined) return at + 1;
  if (half === 'low' || halfOfPair(source, at + 6) !== 'low') {
    throw refusal(parameter, 'holds text that is not Unicode (half of a surrogate pair)');
  }
  return at + 11;
}

/** Of the escape at a place: \ud800 and its like. */
function halfOfPair(source: string, at: number): 'high' | 'low' | undefined {
  const isEscape = source.charCodeAt(at) === BACKSLASH && source.charCodeAt(at + 1) === LETTER_U;
  if (!isEscape || lowerCase(source.charCodeAt(at + 2)) !== LETTER_D) return undefined;
  const digit = source.charCodeAt(at + 3);
  if (digit === DIGIT_8 || digit === DIGIT_9) return 'high';
  return HALVES[lowerCase(digit) - LETTER_A];
}

/** By the second digit, from a on. */
const HALVES = ['high', 'high', 'low', 'low', 'low', 'low'] as const;

/** Of a letter. */
const lowerCase = (unit: number): number => unit | 0x20;
