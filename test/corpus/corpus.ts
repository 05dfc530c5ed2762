/** One event of every shape that any release has ever stored, by category. Lines are added, and never changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { type StreamName } from '../../src/core/event-log.js';

export interface CorpusEvent {
  readonly stream: StreamName;
  readonly type: string;
  readonly schema: number;
  readonly data: object;
}

const DIRECTORY = new URL('.', import.meta.url);

/** What is claimed, named or linked comes before what does so. */
const ORDER = ['ids', 'name', 'platform', 'user', 'project', 'tracker', 'openvalues', 'svn', 'file', 'artifact'];

export const corpus: ReadonlyMap<string, readonly CorpusEvent[]> = new Map(
  readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => name.slice(0, -'.ndjson'.length))
    .sort((a, b) => rank(a) - rank(b))
    .map((category) => [category, eventsIn(category)]),
);

function rank(category: string): number {
  return ORDER.includes(category) ? ORDER.indexOf(category) : ORDER.length;
}

function eventsIn(category: string): readonly CorpusEvent[] {
  const lines = readFileSync(new URL(`${category}.ndjson`, DIRECTORY), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as CorpusEvent);
}

/** Each member that data has, down to the last, with the type of its JSON. Ids that name members are all one. */
export function shapeOf(data: unknown, path = ''): readonly string[] {
  if (Array.isArray(data)) return [`${path}: list`, ...data.flatMap((item) => shapeOf(item, `${path}[]`))];
  if (typeof data !== 'object' || data === null) return [`${path}: ${data === null ? 'null' : typeof data}`];
  const members = Object.entries(data).flatMap(([key, value]) => shapeOf(value, memberPath(path, key)));
  return [`${path}: object`, ...members];
}

/** Fields hold fields to any depth. */
function memberPath(path: string, key: string): string {
  if (key === 'fields' && path.endsWith('.fields[]')) return path.slice(0, -'[]'.length);
  return `${path}.${/^\d+$/.test(key) ? '#' : key}`;
}
