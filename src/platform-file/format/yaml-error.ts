/** Errors of YAML in words of our own, because those of the library quote the file, which may hold passwords. */
import { isAlias, visit, type Alias, type Document, type ErrorCode, type LineCounter } from 'yaml';
import { type FileError } from './file-error.js';

const WORDS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'An alias has no tag and no anchor',
  BAD_ALIAS: 'The name of an alias or an anchor is not valid; quote a text that starts with "*" or "&"',
  BAD_COLLECTION_TYPE: 'A tag does not fit its value; quote a text that starts with "!"',
  BAD_DIRECTIVE: 'A directive is not valid; quote a text that starts with "%"',
  BAD_DQ_ESCAPE: 'An escape sequence is not valid; write a backslash in double quotes twice',
  BAD_INDENT:
    'The indentation is wrong, or a bracket is not closed; the items of a list or an object start at the same column',
  BAD_PROP_ORDER: 'A tag or an anchor is in the wrong place; quote a text that starts with "!" or "&"',
  BAD_SCALAR_START: 'No text starts with this character; quote the text',
  BLOCK_AS_IMPLICIT_KEY: 'No list or object starts here; use a new line, or quote a text that holds ": "',
  BLOCK_IN_FLOW: 'No list or object starts here; use brackets or braces within brackets or braces',
  DUPLICATE_KEY: 'A member is named twice',
  IMPOSSIBLE: 'This is not valid YAML',
  KEY_OVER_1024_CHARS: 'The name of a member is longer than 1024 characters',
  MISSING_CHAR: 'A character is missing, such as a quote, a comma, a colon or a space',
  MULTILINE_IMPLICIT_KEY: 'The name of a member takes several lines, or its colon is missing',
  MULTIPLE_ANCHORS: 'A value has several anchors; quote a text that starts with "&"',
  MULTIPLE_DOCS: 'The file holds several documents; only one is allowed',
  MULTIPLE_TAGS: 'A value has several tags; quote a text that starts with "!"',
  NON_STRING_KEY: 'The name of a member has to be a text',
  RESOURCE_EXHAUSTION: 'Lists and objects are nested too deeply',
  TAB_AS_INDENT: 'Tabs are not allowed as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'A tag is not known; quote a text that starts with "!"',
  UNEXPECTED_TOKEN: 'Unexpected characters; quote a text that holds special characters',
};

const NO_ANCHOR = 'An alias has no anchor; quote a text that starts with "*"';

export function syntaxErrors({ errors, warnings }: Document.Parsed, lines: LineCounter): readonly FileError[] {
  return [...errors, ...warnings].map(({ pos, code }) => errorAt(pos[0], WORDS[code], lines));
}

/** For a document whose aliases cannot be replaced. */
export function aliasError(document: Document.Parsed, lines: LineCounter): FileError {
  const alias = aliasWithoutAnchor(document);
  if (alias !== null) return errorAt(alias.range?.[0] ?? 0, NO_ANCHOR, lines);
  return { line: 1, pointer: '', message: 'There are too many aliases, or one of them is within its own anchor' };
}

function aliasWithoutAnchor(document: Document.Parsed): Alias | null {
  const anchors = new Set<string>();
  let found: Alias | null = null;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
        return undefined;
      }
      if (anchors.has(node.source)) return undefined;
      found = node;
      return visit.BREAK;
    },
  });
  return found;
}

function errorAt(offset: number, words: string, lines: LineCounter): FileError {
  const { line, col } = lines.linePos(offset);
  return { line, pointer: '', message: `Column ${col}: ${words}` };
}
