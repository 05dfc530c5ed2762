import { epochSeconds } from './artifact-entries.js';

export interface DateRange {
  readonly from?: number;
  readonly below?: number;
}

const DAY = 86_400;
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Seconds since 1970; days are those of UTC. `=` and `contains`: that day; `<`: before that instant; `>`: after that
 * day; `between`: from the first instant to the end of the second's day. Undefined for what is no date.
 */
export function dateRange(operator: 'contains' | '=' | '<' | '>' | 'between', given: unknown): DateRange | undefined {
  const dates: readonly unknown[] = Array.isArray(given) ? given : [given];
  const [first, last] = dates.map(secondsOf);
  if (operator === 'between') {
    const isPair = dates.length === 2 && first !== undefined && last !== undefined;
    return isPair ? { from: first, below: endOfDay(last) } : undefined;
  }
  return dates.length === 1 && first !== undefined ? RANGES[operator](first) : undefined;
}

const startOfDay = (seconds: number): number => Math.floor(seconds / DAY) * DAY;
const endOfDay = (seconds: number): number => startOfDay(seconds) + DAY;

const thatDay = (seconds: number): DateRange => ({ from: startOfDay(seconds), below: endOfDay(seconds) });

const RANGES: Readonly<Record<'contains' | '=' | '<' | '>', (seconds: number) => DateRange>> = {
  contains: thatDay,
  '=': thatDay,
  '<': (seconds) => ({ below: seconds }),
  '>': (seconds) => ({ from: endOfDay(seconds) }),
};

function secondsOf(given: unknown): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = typeof given === 'string' ? (DATE.exec(given.trim()) ?? []) : [];
  if (day === undefined || !isDay(day)) return undefined;
  const seconds = epochSeconds(`${day}T${time}${zone}`);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Date.parse takes the 30th of February for a day of March. */
function isDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}
