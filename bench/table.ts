import { type Options } from './options.js';
import { median } from './statistics.js';

/** One measured ratio beside its goal. */
export interface Measured {
  readonly what: string;
  /** The median of the rounds, then the least and the most in parentheses. */
  readonly ratio: string;
  readonly goal: string;
  /** The figures that the ratio is made of. */
  readonly figures: string;
}

export interface NamedRow {
  readonly name: string;
}

const WIDTHS = [40, 18, 9] as const;

export function printHead(machine: string, { artifacts, seconds, rounds }: Options): void {
  process.stdout.write(
    `${machine}; ${artifacts} artifacts, medians (least–most) of ${rounds} rounds of ${seconds} s\n\n`,
  );
  line('work', 'ratio', 'goal', 'figures');
  line('-'.repeat(WIDTHS[0]), '-'.repeat(WIDTHS[1]), '-'.repeat(WIDTHS[2]), '-'.repeat(7));
}

export function printRow({ name }: NamedRow, measured: readonly Measured[]): void {
  for (const { what, ratio, goal, figures } of measured) line(`${name}: ${what}`, ratio, goal, figures);
}

function line(what: string, ratio: string, goal: string, figures: string): void {
  const cells = [what.padEnd(WIDTHS[0]), ratio.padEnd(WIDTHS[1]), goal.padEnd(WIDTHS[2]), figures];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** The median, with the least and the most if there are several. */
export function withSpread(values: readonly number[], digits = 2): string {
  const text = fixed(median(values), digits);
  return values.length < 2
    ? text
    : `${text} (${fixed(Math.min(...values), digits)}–${fixed(Math.max(...values), digits)})`;
}

export const fixed = (number: number, digits = 2): string => number.toFixed(digits);

export const whole = (number: number): string => Math.round(number).toLocaleString('en').replaceAll(',', ' ');
