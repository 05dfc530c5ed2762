import { epochSeconds } from './artifact-entries.js';

export interface DateRange {
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly below?: number;
}

const DAY = 86_400;
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** The seconds that a value stands for: all those of a day, or a single one. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * Seconds since 1970. A date stands for its whole day in UTC; an instant for itself, to the second, as instants are
 * shown. `=` and `contains`: within it; `<`: before it; `>`: after it; `between`: from the first to the second, both
 * included. Undefined for what is no date.
 */
export function dateRange(operator: 'contains' | '=' | '<' | '>' | 'between', given: unknown): DateRange | undefined {
  const dates: readonly unknown[] = Array.isArray(given) ? given : [given];
  const [one, other] = dates.map(spanOf);
  if (operator === 'between') {
    const isPair = dates.length === 2 && one !== undefined && other !== undefined;
    return isPair ? { from: one.first, to: other.last } : undefined;
  }
  return dates.length === 1 && one !== undefined ? RANGES[operator](one) : undefined;
}

const within = ({ first, last }: Span): DateRange => ({ from: first, to: last });

const RANGES: Readonly<Record<'contains' | '=' | '<' | '>', (span: Span) => DateRange>> = {
  contains: within,
  '=': within,
  '<': ({ first }) => ({ below: first }),
  '>': ({ last }) => ({ above: last }),
};

function spanOf(given: unknown): Span | undefined {
  const [, day, time, zone = 'Z'] = typeof given === 'string' ? (DATE.exec(given.trim()) ?? []) : [];
  if (day === undefined || !isDay(day)) return undefined;
  return time === undefined ? spanFrom(`${day}T00:00Z`, DAY) : spanFrom(`${day}T${time}${zone}`, 1);
}

function spanFrom(instant: string, seconds: number): Span | undefined {
  const first = epochSeconds(instant);
  return Number.isNaN(first) ? undefined : { first, last: first + seconds - 1 };
}

/** Date.parse takes the 30th of February for a day of March. */
function isDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}
