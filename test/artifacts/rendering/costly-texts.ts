/** Texts of the longest kind that cost the most. */
import { MAX_TEXT_BYTES } from '../../../src/core/bounds.js';

const filled = (start: string, repeated: string): string => {
  const times = Math.ceil((MAX_TEXT_BYTES - start.length) / repeated.length);
  return (start + repeated.repeat(times)).slice(0, MAX_TEXT_BYTES);
};

const tableOf = (columns: number, row: string): string =>
  filled(`${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n`, row);

/** Each opens an image that never ends. */
export const openBrackets = filled('', '![');

/** That are escaped. */
export const BEYOND = {
  commonmark: {
    'a table of many columns, whose short rows are filled up': tableOf(8000, 'a\n'),
    'a table of many rows, each filled up': tableOf(30, 'a\n'),
    'a long address that many links use': filled(`[a]: ${'x'.repeat(20_000)}\n\n`, '[a]'),
    'lists in lists in quotes': filled('', `${'> - '.repeat(24)}| a\n`),
    'more than a field takes': 'a'.repeat(MAX_TEXT_BYTES + 1),
  },
  html: {
    'many open tags and others that end': filled('<i>'.repeat(10_666), '</p>'),
    'more than a field takes': 'a'.repeat(MAX_TEXT_BYTES + 1),
  },
} as const;

/** That are rendered, long as they are. */
export const WITHIN = {
  commonmark: [
    filled('', '- item *x* [l](u)\n'),
    filled('', 'The *quick* brown `fox` jumps [over](http://a.b/c) the **lazy** dog.\n\n'),
    tableOf(10, 'a|b|c|d|e|f|g|h|i|j\n'),
    filled('', '# a\n\nb\n\n'),
    '"'.repeat(MAX_TEXT_BYTES - 10),
  ],
  html: [
    filled('', '<p>The <b>quick</b> <i>brown</i> <a href="http://a.b/c">fox</a></p>\n'),
    filled('', '<tr><td>cell</td></tr>\n'),
  ],
} as const;
