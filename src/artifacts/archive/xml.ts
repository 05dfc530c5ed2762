/** XML documents as plain data, and how they become text. The only file that knows the library. */
import { DOMImplementation, XMLSerializer, type Document, type Element } from '@xmldom/xmldom';

export interface Xml {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** One text, or elements: never both side by side. */
  readonly content: string | readonly Xml[];
}

type Attribute = string | number | boolean | readonly number[] | null | undefined;

/** Attributes that are null or not given are left out; numbers in a list are parted by spaces. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  content: readonly Xml[] = [],
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

function written(value: NonNullable<Attribute>): string {
  return typeof value === 'object' ? value.join(' ') : String(value);
}

/** Everything but the characters of XML 1.0. Without its pair, a surrogate is one of those too. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const writable = (text: string): string => text.replace(UNWRITABLE, '\uFFFD');

/** The same bytes for the same data. */
export function xmlText(root: Xml): string {
  const document = new DOMImplementation().createDocument(null, root.name, null);
  const top = document.documentElement;
  if (top === null) throw new Error('a document has a root');
  fill(document, top, root, '\n');
  const text = new XMLSerializer().serializeToString(document, { requireWellFormed: true });
  // A parser takes a bare one for a line's end. In attributes it is written so already.
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replaceAll('\r', '&#13;')}\n`;
}

/** Elements stand on lines of their own; texts are left as they are. */
function fill(document: Document, target: Element, { attributes, content }: Xml, lineEnd: string): void {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value);
  if (typeof content === 'string') {
    target.appendChild(document.createTextNode(content));
    return;
  }
  for (const child of content) {
    const inner = document.createElement(child.name);
    target.appendChild(document.createTextNode(`${lineEnd}  `));
    target.appendChild(inner);
    fill(document, inner, child, `${lineEnd}  `);
  }
  if (content.length > 0) target.appendChild(document.createTextNode(lineEnd));
}
