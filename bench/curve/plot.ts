/** The measured points as an SVG, one line for each thing that is measured. */
import { line, plot, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { parseHTML } from 'linkedom';
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
  // Its type is that of a browser, which this project does not have.
  const { document } = parseHTML('<html></html>') as unknown as { readonly document: never };
  const largest = Math.max(...points.map(({ artifacts }) => artifacts));
  const options: PlotOptions = {
    document,
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
  };
  const svg = plot(options);
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  // In place of a style, which not every page lets an image have.
  const background = '<rect width="100%" height="100%" fill="white" />';
  return `${svg.outerHTML.replace('</style>', `</style>${background}`)}\n`;
}
