import { type Options } from './options.js';

/** One measured ratio beside its goal. */
export interface Measured {
  readonly what: string;
  readonly ratio: string;
  readonly goal: string;
  /** The figures that the ratio is made of. */
  readonly figures: string;
}

export interface NamedRow {
  readonly name: string;
}

const WIDTHS = [40, 9, 9] as const;

export function printHead(machine: string, { artifacts, seconds, rounds }: Options): void {
  process.stdout.write(`${machine}; ${artifacts} artifacts, medians of ${rounds} rounds of ${seconds} s\n\n`);
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

export const fixed = (number: number, digits = 2): string => number.toFixed(digits);

export const whole = (number: number): string => Math.round(number).toLocaleString('en').replaceAll(',', ' ');
