/** The artifacts that link to others, in pages. */
import { MAX_REVERSE_LINKS } from '../../core/bounds.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { type Criterion, type ReadModels } from '../../core/read-models.js';
import { artifactViews, LINKS_KEY } from '../artifact-view.js';

/** Sources are read in pages of this size until there are no more. */
export const LINK_SOURCES_PAGE = 1000;
/** Are asked for at a time: each may have many sources, and all of them are gone through to find the first. */
const TARGETS = 25;
/** At first, and once so many sources were found, fewer targets are asked for. */
const MANY_SOURCES = 200;
const FEW_TARGETS = 5;

/** The ids on the next page of those that link to any of the targets. Others have their turn between few targets and few more. */
export async function linkSourcesAfter(
  last: number,
  targets: readonly number[],
  readModels: ReadModels,
): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let from = 0; from < targets.length;) {
    if (from > 0) await othersTurn();
    const some = targets.slice(from, from + targetsAfter(from, found.size));
    from += some.length;
    const links: Criterion = { type: 'any-of', key: LINKS_KEY, values: some };
    const after = { id: last, values: [] };
    const page = { where: [links], direction: 'asc', after, limit: LINK_SOURCES_PAGE, offset: 0 } as const;
    for (const id of await readModels.findIds(artifactViews, page)) found.add(id);
  }
  return [...found].sort((a, b) => a - b).slice(0, LINK_SOURCES_PAGE);
}

const targetsAfter = (asked: number, found: number): number =>
  asked > 0 && found < MANY_SOURCES ? TARGETS : FEW_TARGETS;

interface FromSource {
  readonly source: { readonly id: number };
}

/** Beyond the bound, only further links of the last source are added: `ofWholeSources` then leaves that source out. */
export function addLink<L extends FromSource>(links: L[], link: L): void {
  if (links.length < MAX_REVERSE_LINKS || links.at(-1)?.source.id === link.source.id) links.push(link);
}

/** If a client sends some links of a source back, they replace the others. So all links of a source are shown, or none. */
export function ofWholeSources<L extends FromSource>(links: readonly L[]): readonly L[] {
  const last = links.at(-1)?.source.id;
  return links.length > MAX_REVERSE_LINKS ? links.filter(({ source }) => source.id !== last) : links;
}
