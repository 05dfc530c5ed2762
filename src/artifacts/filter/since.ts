/** When artifacts were created and last modified: asked beside what a filter asks of their fields. */
import { type SchemaObject } from 'ajv';
import { Problem } from '../../core/problem.js';
import { type Criterion } from '../../core/read-models.js';
import { epochSeconds, ownKey } from '../artifact-view.js';

export interface Since {
  readonly modified_since?: string | undefined;
  readonly created_since?: string | undefined;
}

const instant = (what: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description: `Those that were ${what} in the second of this instant or later`,
});

/** For the schema of a query. */
export const SINCE = { modified_since: instant('last modified'), created_since: instant('created') };

const KEYS = [
  ['modified_since', 'lud'],
  ['created_since', 'subon'],
] as const;

export const asksSince = (since: Since): boolean => KEYS.some(([name]) => since[name] !== undefined);

/** Of one tracker's artifacts. Instants count to the second, as they are shown: no change is missed. */
export function sinceCriteria(trackerId: number, since: Since): readonly Criterion[] {
  return KEYS.flatMap(([name, type]): readonly Criterion[] => {
    const given = since[name];
    if (given === undefined) return [];
    const from = epochSeconds(given);
    if (Number.isNaN(from)) throw noInstant(name);
    return [{ type: 'range', key: ownKey(trackerId, type), from }];
  });
}

/** There are instants in the format that no clock shows: leap seconds. */
function noInstant(pointer: string): Problem {
  const message = 'must be an instant such as 2026-03-05T10:11:12Z';
  return new Problem('invalid', `${pointer} ${message}`, { details: [{ pointer, message }] });
}
