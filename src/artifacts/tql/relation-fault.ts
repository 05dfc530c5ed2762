import { type Definitions } from '../../definitions/definitions.js';
import { linkTypesOf } from '../../platform/link-types.js';
import { type Relation } from './expression.js';

/** Undefined for a relation that has a meaning. */
export function relationFault(
  { not, linkType, end }: Relation,
  { definitions }: { readonly definitions: Definitions },
): string | undefined {
  if (not && end?.type === 'tracker' && end.operator === '!=') {
    return 'TRACKER != after WITHOUT or IS NOT is a double negative; use TRACKER = or leave out the negation';
  }
  if (linkType === null) return undefined;
  const known = linkTypesOf(definitions.platform()).flatMap(({ shortname }) => (shortname === '' ? [] : [shortname]));
  if (known.includes(linkType)) return undefined;
  return `Unknown link type "${linkType}"; use ${known.map((type) => `"${type}"`).join(' or ')}`;
}
