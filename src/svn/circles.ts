import { type Steps } from '../core/concurrency/others-turn.js';

export type Link = readonly [from: string, to: string];

/** Whether a name is part of a circle of links, or stands between two circles. */
export function* circles(links: Iterable<Link>): Steps<(name: string) => boolean> {
  const numbers = new Map<string, number>();
  const forward: number[][] = [];
  const back: number[][] = [];
  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    forward.push([]);
    back.push([]);
    return numbers.size - 1;
  };
  for (const [from, to] of links) {
    const [start, end] = [numberOf(from), numberOf(to)];
    forward[start]?.push(end);
    back[end]?.push(start);
    yield;
  }
  const isInner = yield* withoutEnds(forward, back, () => true);
  const isCircular = yield* withoutEnds(back, forward, isInner);
  return (name) => isCircular(numbers.get(name) ?? -1);
}

/** From a number to those that it links to. */
type Links = readonly (readonly number[])[];
type Test = (number: number) => boolean;

/** Takes away, again and again, what links to nothing that is left. Every link is looked at once. */
function* withoutEnds(links: Links, back: Links, isThere: Test): Steps<Test> {
  const left = yield* countsLeft(links, isThere);
  const ends = [...left.keys()].filter((number) => left[number] === 0);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    yield;
    for (const number of back[end] ?? []) {
      const count = left[number] ?? 0;
      if (count === 0) continue;
      left[number] = count - 1;
      if (count === 1) ends.push(number);
    }
  }
  return (number) => (left[number] ?? 0) > 0;
}

function* countsLeft(links: Links, isThere: Test): Steps<number[]> {
  const counts: number[] = [];
  for (const [number, linked] of links.entries()) {
    counts.push(isThere(number) ? linked.filter(isThere).length : 0);
    yield;
  }
  return counts;
}
