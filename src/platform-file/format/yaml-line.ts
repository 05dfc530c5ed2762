import { isAlias, isMap, isScalar, isSeq, type Document, type LineCounter, type Node } from 'yaml';

interface YamlNode {
  readonly node: unknown;
  readonly offset: number;
}

/** Line of what a JSON pointer names, or of the nearest thing around it that exists. */
export function yamlLineOf(document: Document, lines: LineCounter, pointer: string): number {
  let place: YamlNode = { node: document.contents, offset: offsetOf(document.contents) };
  for (const token of pointer.split('/').slice(1)) {
    const inner = memberOf(document, place.node, token.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (inner === null) break;
    place = inner;
  }
  return lines.linePos(place.offset).line;
}

function memberOf(document: Document, node: unknown, member: string): YamlNode | null {
  if (isAlias(node)) return memberOf(document, node.resolve(document), member);
  if (isSeq(node)) {
    const item = node.items[Number(member)];
    return item === undefined ? null : { node: item, offset: offsetOf(item) };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === member);
  return pair === undefined ? null : { node: pair.value, offset: offsetOf(pair.key) };
}

function offsetOf(node: unknown): number {
  return hasRange(node) ? (node.range?.[0] ?? 0) : 0;
}

function hasRange(node: unknown): node is Pick<Node, 'range'> {
  return typeof node === 'object' && node !== null && 'range' in node;
}
