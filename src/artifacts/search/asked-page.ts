import { invalidAt, Problem } from '../../core/problem.js';
import { type PageSlice } from '../../core/read-models.js';
import { jsonObjectParameter } from '../../http/json-parameter.js';
import { artifactsAcross } from './artifacts-across.js';
import { type ArtifactView } from '../artifact-view.js';
import { asksSince } from '../filter/since.js';
import { type ArtifactPage } from '../queries.js';
import { visiblePage } from '../representation/artifact-pages.js';
import { type Reading } from '../representation/reading.js';
import { MANY_MAX, type ManyQuery } from '../schemas.js';

/** A list of ids does not tell where its page ends. */
type AskedPage = PageSlice<ArtifactView> & Partial<Pick<ArtifactPage, 'last'>>;

/** The page of some ids, or of all artifacts since an instant. An invalid request is refused before the first read. */
export function askedPage(
  { query = '', limit, offset, after, ...since }: ManyQuery,
  reading: Reading,
): () => Promise<AskedPage> {
  const page = { limit, offset, after };
  if (asksSince(since)) {
    if (query.trim() !== '') refuse('cannot stand beside modified_since or created_since');
    return () => artifactsAcross(since, page, reading);
  }
  const ids = requestedIds(query);
  return () => visiblePage(ids, page, reading);
}

/** The ids of `query={"id":[…]}`. */
function requestedIds(query: string): readonly number[] {
  if (query.trim() === '') refuse('is required, unless modified_since or created_since is given');
  const ids: unknown = jsonObjectParameter('query', query).get('id');
  if (ids === undefined) refuse('has no member "id"');
  if (!Array.isArray(ids) || !ids.every(Number.isInteger)) return refuse('needs an array of artifact ids in "id"');
  if (ids.length > MANY_MAX) throw new Problem('forbidden', `At most ${MANY_MAX} artifacts may be asked for at once`);
  // Larger ones are of no artifact.
  const possible = (ids as readonly number[]).filter(Number.isSafeInteger);
  const twice = possible.filter((id, index) => possible.indexOf(id) !== index);
  if (twice.length > 0) refuse(`names ids twice: ${[...new Set(twice)].join(', ')}`);
  return possible;
}

function refuse(message: string): never {
  throw invalidAt('query', message);
}
