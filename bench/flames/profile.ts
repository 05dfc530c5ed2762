/** A processor profile of one thread as a tree of calls, each with its time. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface Call {
  readonly name: string;
  /** Of the source, or what of Node. */
  readonly place: string;
  /** Microseconds, with what it calls. */
  time: number;
  readonly calls: Map<string, Call>;
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** As `--cpu-prof` writes it. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Waiting, and what V8 cannot tell. */
const NO_WORK = new Set(['(idle)', '(program)']);

export function callsIn(file: string): Call {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const places = placing();
  const named = new Map(nodes.map(({ id, callFrame }) => [id, { callFrame, ...places(callFrame) }]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const all: Call = { name: 'all', place: '', time: 0, calls: new Map() };
  const stackOf = (id: number | undefined): readonly number[] =>
    id === undefined || !parents.has(id) ? [] : [...stackOf(parents.get(id)), id];
  for (const [nth, id] of samples.entries()) {
    if (NO_WORK.has(named.get(id)?.name ?? '')) continue;
    const time = timeDeltas[nth] ?? 0;
    all.time += time;
    let call = all;
    for (const { name, place } of stackOf(id).map((one) => named.get(one)!)) {
      const key = `${name} ${place}`;
      const called = call.calls.get(key) ?? { name, place, time: 0, calls: new Map<string, Call>() };
      call.calls.set(key, called);
      called.time += time;
      call = called;
    }
  }
  return all;
}

/** Where the source has what the bundle has in another place. */
function placing(): (frame: Frame) => Pick<Call, 'name' | 'place'> {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (url: string): SourceMap | null => {
    const known = maps.get(url);
    if (known !== undefined) return known;
    const path = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
    const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload) : null;
    maps.set(url, map);
    return map;
  };
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
    const source = entry !== undefined && 'originalSource' in entry ? entry.originalSource : url;
    const place = source.replace(/^.*\/node_modules\//, '').replace(/^.*?\/(?=(?:src|projections)\/)/, '');
    return { name: functionName === '' ? '(anonymous)' : functionName, place };
  };
}
