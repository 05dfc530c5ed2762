import { Problem } from '../core/problem.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { MANY_MAX } from './schemas.js';

/** The ids of `query={"id":[…]}`. */
export function requestedIds(query: string): readonly number[] {
  const ids: unknown = jsonObjectParameter('query', query).get('id');
  if (ids === undefined) refuse('has no member "id"');
  if (!Array.isArray(ids) || !ids.every(isId)) return refuse('needs an array of artifact ids in "id"');
  if (ids.length > MANY_MAX) throw new Problem('forbidden', `At most ${MANY_MAX} artifacts may be asked for at once`);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (twice.length > 0) refuse(`names ids twice: ${[...new Set(twice)].join(', ')}`);
  return ids;
}

const isId = (id: unknown): id is number => typeof id === 'number' && Number.isSafeInteger(id);

function refuse(message: string): never {
  throw new Problem('invalid', `query ${message}`, { details: [{ pointer: 'query', message }] });
}
