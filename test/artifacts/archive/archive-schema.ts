/** Archives as a program that knows only docs/archive.xsd reads them. */
import { readFileSync } from 'node:fs';
import { XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';

const SCHEMA = new URL('../../../docs/archive.xsd', import.meta.url);

export interface Read {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text, with what XML could not hold put back. */
  readonly text: string;
  readonly children: readonly Read[];
}

/** Throws unless the document is well-formed. */
export function readXml(text: string): Read {
  const document = XmlDocument.fromString(text);
  try {
    return readElement(document.root);
  } finally {
    document.dispose();
  }
}

/** Throws unless the document is as the schema says. */
export function validate(text: string): void {
  const schema = XmlDocument.fromString(readFileSync(SCHEMA, 'utf8'));
  const validator = XsdValidator.fromDoc(schema);
  const document = XmlDocument.fromString(text);
  try {
    validator.validate(document);
  } finally {
    document.dispose();
    validator.dispose();
    schema.dispose();
  }
}

function readElement(element: XmlElement): Read {
  const attributes = Object.fromEntries(element.attrs.map(({ name, content }) => [name, content]));
  const children: Read[] = [];
  for (let node = element.firstChild; node !== null; node = node.next) {
    if (node instanceof XmlElement) children.push(readElement(node));
  }
  const { exact } = attributes;
  const text = exact === undefined ? element.content : Buffer.from(exact, 'base64').toString('utf16le');
  return { name: element.name, attributes, text, children };
}

/** The descendants along a path of names. */
export function at(read: Read, path: string): readonly Read[] {
  return path
    .split('/')
    .reduce<readonly Read[]>(
      (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [read],
    );
}
