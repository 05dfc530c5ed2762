/** `npm run bench -- --curve FILE`: how the service scales, as a table and as an SVG. */
import { writeFileSync } from 'node:fs';
import { type Options } from '../options.js';
import { fixed } from '../table.js';
import { pointsAt, SIZES, type Point } from './measure.js';
import { drawn } from './plot.js';

/** Not times, or not of requests: they have no line. */
const isTime = ({ what }: Point): boolean => !/MiB|bytes/.test(what);

export async function measureCurve(options: Options, file: string): Promise<void> {
  const sizes = SIZES.filter((size) => size <= options.artifacts);
  const points: Point[] = [];
  for (const size of sizes) points.push(...(await pointsAt(size, options)));
  const whats = [...new Set(points.map(({ what }) => what))];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(row(['milliseconds', ...sizes.map((size) => size.toLocaleString('en'))]));
  process.stdout.write(row(['---', ...sizes.map(() => '---')]));
  for (const what of whats) {
    const cells = points.filter((point) => point.what === what).map(({ value }) => fixed(value, value < 100 ? 2 : 0));
    process.stdout.write(row([what, ...cells]));
  }
  writeFileSync(file, drawn(points.filter(isTime)));
}
