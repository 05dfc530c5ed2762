import { epochSeconds } from '../../core/clock.js';
import { type Criterion } from '../../core/read-models.js';
import { dateFrom } from '../fields/dates.js';
import { comparedBounds, type Comparing, type Span } from './comparisons.js';

const DAY = 86_400;
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Between two dates in one text stand spaces and a dash. */
const RANGE = /^(\S+(?: \S+)?) - (\S+(?: \S+)?)$/;

/**
 * Seconds since 1970. A date stands for its whole day in UTC; an instant for itself, to the second, as instants are
 * shown. `=` and `contains`: within it; `<`: before it; `>`: after it; `between`: from the first to the second, both
 * included. Undefined for what is no date.
 */
export function dateCriteria(key: string, operator: Comparing, given: unknown): readonly Criterion[] | undefined {
  const bounds = comparedBounds(operator, operator === 'between' ? given : single(given), { range: RANGE, spanOf });
  return bounds && [{ type: 'range', key, ...bounds }];
}

/** Clients write one date as a list, too. */
const single = (given: unknown): unknown => {
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  return items.length === 1 ? items[0] : undefined;
};

/** The seconds that a value stands for: all those of a day, or a single one. */
function spanOf(given: unknown): Span | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  const [, day, time, zone = 'Z'] = DATE.exec(text) ?? [];
  if (day === undefined || dateFrom(text, true) === undefined) return undefined;
  return time === undefined ? spanFrom(`${day}T00:00Z`, DAY) : spanFrom(`${day}T${time}${zone}`, 1);
}

function spanFrom(instant: string, seconds: number): Span {
  const first = epochSeconds(instant);
  return { first, last: first + seconds - 1 };
}
