/** When artifacts were created and last modified: asked beside what a filter asks of their fields. */
import { epochSeconds } from '../../core/clock.js';
import { type Criterion } from '../../core/read-models.js';
import { ownKey } from '../artifact-view.js';
import { type Since } from '../schemas.js';

const KEYS = [
  ['modified_since', 'lud'],
  ['created_since', 'subon'],
] as const;

export const asksSince = (since: Since): boolean => KEYS.some(([name]) => since[name] !== undefined);

/** Of one tracker's artifacts. Instants count to the second, as they are shown: none of that second is left out. */
export function sinceCriteria(trackerId: number, since: Since): readonly Criterion[] {
  return KEYS.flatMap(([name, type]): readonly Criterion[] => {
    const given = since[name];
    return given === undefined ? [] : [{ type: 'range', key: ownKey(trackerId, type), from: epochSeconds(given) }];
  });
}
