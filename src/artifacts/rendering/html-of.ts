/**
 * Texts as safe HTML. A text that costs more than a bound is escaped instead. The bounds count what is in the text and
 * not the time that it takes, so that the same text always has the same HTML.
 */
import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import { MAX_TEXT_BYTES } from '../../core/bounds.js';
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { escaped } from './escaped.js';

/** In characters. Escaping makes six times the longest text; line ends and a dense table make seven. */
const MAX_HTML = 8 * MAX_TEXT_BYTES;
/** Two for each byte of the longest text. A table fills every row up to the width of its head: few bytes make many cells. */
const MAX_TOKENS = 131_072;
/** A tag that ends another than the last one is compared with those that are open. */
const MAX_COMPARISONS = 10_000_000;

class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** Of links and images. Relative addresses have none. */
const SCHEMES = ['http', 'https', 'ftp', 'mailto', 'tel'];

const ALLOWED_HTML: sanitizeHtml.IOptions = {
  allowedTags: sanitizeHtml.defaults.allowedTags.concat('img', 'del'),
  allowedAttributes: {
    ...sanitizeHtml.defaults.allowedAttributes,
    // The page behind a `target` could replace the page that shows the text.
    a: ['href', 'name'],
    // The sanitizer prints what it does not understand of a `srcset`.
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
  },
  allowedSchemes: SCHEMES,
};

export function htmlOf(value: TextValue): string {
  const { format, text } = value;
  if (format === 'text') return escaped(value);
  try {
    // Older logs hold longer texts.
    if (text.length > MAX_TEXT_BYTES) throw new TooCostly();
    const html = format === 'html' ? sanitized(text) : rendered(text);
    if (html.length > MAX_HTML) throw new TooCostly();
    return html;
  } catch (error) {
    // A RangeError: the text has exhausted the stack.
    if (error instanceof TooCostly || error instanceof RangeError) return escaped(value);
    throw error;
  }
}

function sanitized(html: string): string {
  limitComparisons(html);
  return sanitizeHtml(html, ALLOWED_HTML);
}

function limitComparisons(html: string): void {
  const open: string[] = [];
  let comparisons = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][^\s/>]*)/gi)) {
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else {
      comparisons += open.length;
      if (comparisons > MAX_COMPARISONS) throw new TooCostly();
      const matching = open.lastIndexOf(name);
      if (matching >= 0) open.length = matching;
    }
  }
}

const markdown = withinSchemes(bounded(new MarkdownIt({ html: false, linkify: false })));

/** The parser knows which `data` is an image. */
function withinSchemes(parser: Parser): Parser {
  const isHarmless = parser.validateLink.bind(parser);
  parser.validateLink = (address) => {
    const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(address)?.[0].toLowerCase();
    return scheme === undefined || scheme === 'data' ? isHarmless(address) : SCHEMES.includes(scheme);
  };
  return parser;
}

function rendered(source: string): string {
  const environment = { tokens: 0 };
  const tokens = markdown.parse(source, environment);
  if (attributesIn(tokens) > MAX_HTML) throw new TooCostly();
  return markdown.renderer.render(tokens, markdown.options, environment);
}

/** Stops at the bound. The states of all parts of a text share its environment. */
function bounded(parser: Parser): Parser {
  const { block, inline } = parser;
  block.State = class extends block.State {
    override push(...token: Parameters<InstanceType<Parser['block']['State']>['push']>): Token {
      count(this.env);
      return super.push(...token);
    }
  };
  inline.State = class extends inline.State {
    override push(...token: Parameters<InstanceType<Parser['inline']['State']>['push']>): Token {
      count(this.env);
      return super.push(...token);
    }
  };
  return parser;
}

function count(environment: Env): void {
  const tokens = Number(environment['tokens']) + 1;
  environment['tokens'] = tokens;
  if (tokens > MAX_TOKENS) throw new TooCostly();
}

/** One definition of a link may be used by many links, and its address stands in each of them. */
function attributesIn(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { attrs, children }) => {
    const own = (attrs ?? []).reduce((length, [, value]) => length + String(value).length, 0);
    return sum + own + (children === null ? 0 : attributesIn(children));
  }, 0);
}
