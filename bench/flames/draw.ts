/** A tree of calls as a flame graph: who is called stands on who calls, as wide as its share of the time. */
import { basename } from 'node:path';
import { rect, text } from '@observablehq/plot';
import { svgOf } from '../svg.js';
import { type Call } from './profile.js';

/** What is narrower cannot be seen. */
const LEAST_SHARE = 0.003;
const DEEPEST = 48;
const WIDTH = 1200;
const ROW = 17;
/** Of a letter. */
const LETTER = 6.2;

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly of: string;
  readonly label: string;
  readonly title: string;
}

/** What a bar's colour says. */
function partOf({ name, place }: Call): string {
  if (name === '(garbage collector)') return 'garbage collector';
  if (/^(?:src|projections)\//.test(place)) return 'this program';
  return place === '' ? 'in the engine' : place.startsWith('node:') ? 'Node' : 'libraries';
}

/** A function without a name has that of its file. */
const nameOf = ({ name, place }: Call): string => (name === '(anonymous)' ? basename(place) : name);

function* barsOf({ calls, time }: Call, all: number, from = 0, depth = 0): Generator<Bar, void> {
  let at = from;
  for (const call of [...calls.values()].sort((one, other) => other.time - one.time)) {
    const share = call.time / all;
    if (share < LEAST_SHARE || depth === DEEPEST || time === 0) return;
    const letters = Math.floor((share * WIDTH) / LETTER) - 1;
    const title = `${call.name} ${call.place} ${(100 * share).toFixed(1)} %`;
    const label = letters < 3 ? '' : nameOf(call).slice(0, letters);
    yield { from: at, to: at + share, depth, of: partOf(call), label, title };
    yield* barsOf(call, all, at, depth + 1);
    at += share;
  }
}

export function drawn(all: Call, caption: string): string {
  const bars = [...barsOf(all, all.time)];
  const depth = Math.max(...bars.map((bar) => bar.depth)) + 1;
  return svgOf({
    width: WIDTH,
    height: depth * ROW + 60,
    marginLeft: 20,
    marginRight: 20,
    marginTop: 30,
    style: { fontSize: '11px' },
    x: { label: caption, domain: [0, 1], tickFormat: '~%', ticks: 10, labelAnchor: 'left', labelArrow: 'none' },
    y: { axis: null, domain: [0, depth] },
    color: {
      legend: false,
      domain: ['this program', 'libraries', 'Node', 'in the engine', 'garbage collector'],
      range: ['#f28e2b', '#edc948', '#a0cbe8', '#d4d4d4', '#e15759'],
    },
    marks: [
      rect(bars, {
        x1: 'from',
        x2: 'to',
        y1: 'depth',
        y2: ({ depth }: Bar) => depth + 1,
        fill: 'of',
        inset: 0.4,
        title: 'title',
      }),
      text(
        bars.filter(({ label }) => label !== ''),
        {
          x: 'from',
          y: ({ depth }: Bar) => depth + 0.5,
          text: 'label',
          textAnchor: 'start',
          dx: 3,
        },
      ),
    ],
  });
}
