/** XML documents as plain data, and how they become text. The only file that knows the library. */
import { DOMImplementation, XMLSerializer } from '@xmldom/xmldom';
import { othersTurn } from '../../core/concurrency/others-turn.js';

export interface Xml {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** One text, or elements: never both side by side. */
  readonly content: string | Elements;
}

type Elements = Iterable<Xml> | AsyncIterable<Xml>;

type Attribute = string | number | boolean | readonly number[] | null | undefined;

/** Attributes that are null or not given are left out; numbers in a list are parted by spaces. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  content: Elements = [],
): Xml {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [[key, writable(written(value))] as const],
  );
  return { name, attributes: Object.fromEntries(given), content };
}

/**
 * An element that holds what people wrote. Characters that XML cannot hold stand as U+FFFD; `exact` then has the whole
 * text, in base64 of UTF-16LE, as which nothing of it is lost, unpaired surrogates included.
 */
export function textElement(name: string, attributes: Readonly<Record<string, Attribute>>, text: string): Xml {
  const content = writable(text);
  const exact = content === text ? undefined : Buffer.from(text, 'utf16le').toString('base64');
  return { ...element(name, { ...attributes, exact }), content };
}

/** Each is made when it is asked for: there may be thousands. */
export function* elementsOf<T>(items: Iterable<T>, made: (item: T) => Xml): Generator<Xml, void, void> {
  for (const item of items) yield made(item);
}

function written(value: NonNullable<Attribute>): string {
  return typeof value === 'object' ? value.join(' ') : String(value);
}

/** Everything but the characters of XML 1.0. Without its pair, a surrogate is one of those too. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const writable = (text: string): string => text.replace(UNWRITABLE, '\uFFFD');

/** In characters: others have their turn once so much was made. */
const PIECE = 16_384;

/** In pieces, each made when it is asked for. The same bytes for the same data. */
export async function* xmlTexts(root: Xml): AsyncGenerator<string, void, void> {
  let text = '<?xml version="1.0" encoding="UTF-8"?>\n';
  for await (const part of partsOf(root, '\n', tags())) {
    text += part;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
    await othersTurn();
  }
  yield `${text}\n`;
}

/** Elements stand on lines of their own; texts are left as they are. */
async function* partsOf(xml: Xml, lineEnd: string, tag: Tag): AsyncGenerator<string, void, void> {
  const { name, content } = xml;
  if (typeof content === 'string') {
    yield tag(xml, content);
    return;
  }
  const empty = tag(xml);
  let before = `${empty.slice(0, -'/>'.length)}>`;
  for await (const child of content) {
    yield `${before}${lineEnd}  `;
    yield* partsOf(child, `${lineEnd}  `, tag);
    before = '';
  }
  yield before === '' ? `${lineEnd}</${name}>` : empty;
}

/** An element as it is written with a text, or empty. */
type Tag = (xml: Xml, text?: string) => string;

function tags(): Tag {
  const document = new DOMImplementation().createDocument(null, 'any', null);
  const serializer = new XMLSerializer();
  return ({ name, attributes }, text) => {
    const target = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) target.setAttribute(key, value);
    if (text !== undefined) target.appendChild(document.createTextNode(text));
    // A parser takes a bare one for a line's end. In attributes it is written so already.
    return serializer.serializeToString(target, { requireWellFormed: true }).replaceAll('\r', '&#13;');
  };
}
