/** When artifacts were created and last modified: asked beside what a filter asks of their fields. */
import { invalidAt } from '../../core/problem.js';
import { type Criterion } from '../../core/read-models.js';
import { epochSeconds, ownKey } from '../artifact-view.js';
import { type Since } from '../schemas.js';

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
    // There are instants in the format that no clock shows: leap seconds.
    if (Number.isNaN(from)) throw invalidAt(name, 'must be an instant such as 2026-03-05T10:11:12Z');
    return [{ type: 'range', key: ownKey(trackerId, type), from }];
  });
}
