/** The measured points as an SVG, one line for each thing that is measured. */
import { line, ruleY, text } from '@observablehq/plot';
import { svgOf } from '../svg.js';
import { type Point } from './measure.js';

/** Of two labels, one above the other: so that both can be read. */
const APART = 1.2;

/** Labels from the lowest on, each as far up as it has to be. */
function apart(points: readonly Point[]): readonly Point[] {
  let least = 0;
  return points
    .toSorted((one, other) => one.value - other.value)
    .map((point) => {
      const value = Math.max(point.value, least);
      least = value * APART;
      return { ...point, value };
    });
}

export function drawn(points: readonly Point[]): string {
  const largest = Math.max(...points.map(({ artifacts }) => artifacts));
  return svgOf({
    width: 900,
    height: 560,
    marginRight: 260,
    marginLeft: 60,
    style: { fontSize: '13px' },
    x: { type: 'log', label: 'artifacts', tickFormat: '~s' },
    y: { type: 'log', label: 'milliseconds', grid: true },
    color: { scheme: 'Tableau10' },
    marks: [
      ruleY([1], { stroke: '#ccc' }),
      line(points, { x: 'artifacts', y: 'value', stroke: 'what', z: 'what', marker: 'circle' }),
      text(apart(points.filter(({ artifacts }) => artifacts === largest)), {
        x: 'artifacts',
        y: 'value',
        text: 'what',
        fill: 'what',
        textAnchor: 'start',
        dx: 10,
      }),
    ],
  });
}
