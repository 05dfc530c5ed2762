/** art_link: the links of an artifact, and those that lead to it. */
import { type Link } from '../../trackers/field-types/field-value.js';
import { MAX_LINKS } from '../../core/bounds.js';
import { linkTypesOf } from '../../platform/link-types.js';
import { linksFault } from './value-bounds.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import {
  currentValue,
  idFrom,
  isGiven,
  isObject,
  NOTHING,
  readAll,
  shown,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
} from './field-input.js';

/** What a write asks for; a part left out stays as it is. Whether the other ends exist is not known yet. */
export interface LinkWish {
  /** All links of this artifact. */
  readonly forward?: readonly Link[];
  /** All links that lead to it: `id` is the source, which may have one in each of its fields. */
  readonly reverse?: readonly Link[];
  /** An artifact that this one becomes a child of, besides the links it has. */
  readonly parent?: number;
}

/** Every other end, once. */
export const linkTargets = ({ forward = [], reverse = [], parent }: LinkWish): readonly number[] => [
  ...new Set([...[...forward, ...reverse].map(({ id }) => id), ...(parent === undefined ? [] : [parent])]),
];

type Direction = 'forward' | 'reverse';

/** Where an element names the other end of a link: the last mention counts. Empty if it does not name the end. */
export function placeOfEnd(
  { links, parent, all_links: allLinks }: FieldInput,
  end: number,
  direction?: Direction,
): string {
  const names = (link: unknown): boolean => isObject(link) && idFrom(link['id']) === end;
  if (names(parent)) return '/parent/id';
  const isSo = (link: unknown): boolean =>
    direction === undefined || (isObject(link) && link['direction'] === direction);
  for (const [member, list] of Object.entries({ links, all_links: allLinks })) {
    const index = Array.isArray(list) ? list.findLastIndex((link: unknown) => names(link) && isSo(link)) : -1;
    if (index >= 0) return `/${member}/${index}/id`;
  }
  return '';
}

interface DirectedLink extends Link {
  readonly direction: Direction;
}

export const parseLinks: Parse<LinkWish> = (field, { links, parent, all_links: allLinks }, context) => {
  const hasParts = isGiven(links) || isGiven(parent);
  const held = linksOf(currentValue(field, context)).length;
  if (!isGiven(allLinks)) {
    return hasParts
      ? wishFromParts(links, parent, held, context)
      : context.refuse('', 'takes "links" and "parent", or "all_links"');
  }
  return hasParts
    ? context.refuse('/all_links', 'takes "all_links" without "links" and "parent"')
    : wishFromAll(allLinks, held, context);
};

function wishFromParts(links: unknown, parent: unknown, held: number, context: ParseContext): LinkWish | Nothing {
  const forward = isGiven(links) ? forwardWish(links, held, context) : {};
  const above = isGiven(parent) ? parentWish(parent, context) : {};
  return forward === NOTHING || above === NOTHING ? NOTHING : { ...forward, ...above };
}

function forwardWish(json: unknown, held: number, context: ParseContext): LinkWish | Nothing {
  const tooMany = linksFault(lengthOf(json), held);
  if (tooMany !== undefined) return context.refuse('/links', tooMany);
  const links = readLinks('/links', json, context, readLink);
  return links === NOTHING ? NOTHING : { forward: lastOfEach(links) };
}

function parentWish(json: unknown, context: ParseContext): LinkWish | Nothing {
  if (!isObject(json)) return context.refuse('/parent', 'takes a parent as an object with an "id"');
  const parent = otherEnd(json, '/parent', context);
  return parent === NOTHING ? NOTHING : { parent };
}

const lengthOf = (json: unknown): number => (Array.isArray(json) ? json.length : 0);

/** Both directions stand in one list, and each has its bound. */
function wishFromAll(json: unknown, held: number, context: ParseContext): LinkWish | Nothing {
  if (lengthOf(json) > Math.max(MAX_LINKS, held) + MAX_LINKS) {
    return context.refuse('/all_links', `takes at most ${MAX_LINKS} links of each direction`);
  }
  const links = readLinks('/all_links', json, context, readDirectedLink);
  if (links === NOTHING) return NOTHING;
  const towards = (wanted: Direction): readonly Link[] =>
    links.flatMap(({ direction, id, type }) => (direction === wanted ? [{ id, type }] : []));
  const [forward, reverse] = [lastOfEach(towards('forward')), towards('reverse')];
  const tooMany = linksFault(forward.length, held) ?? reverseFault(reverse.length);
  return tooMany === undefined ? { forward, reverse } : context.refuse('/all_links', tooMany);
}

const reverseFault = (count: number): string | undefined =>
  count > MAX_LINKS ? `takes at most ${MAX_LINKS} links of each direction` : undefined;

/** An artifact named twice is linked once, as its last mention says. */
const lastOfEach = (links: readonly Link[]): readonly Link[] => [
  ...new Map(links.map((link) => [link.id, link])).values(),
];

type ReadLink<L> = (link: FieldInput, pointer: string, context: ParseContext) => L | Nothing;

function readLinks<L>(
  pointer: string,
  json: unknown,
  context: ParseContext,
  read: ReadLink<L>,
): readonly L[] | Nothing {
  if (!Array.isArray(json)) return context.refuse(pointer, 'takes an array of links');
  return readAll(json, (item, index) => {
    const at = `${pointer}/${index}`;
    return isObject(item) ? read(item, at, context) : context.refuse(at, 'takes links as objects with an "id"');
  });
}

function readDirectedLink(link: FieldInput, pointer: string, context: ParseContext): DirectedLink | Nothing {
  const { direction } = link;
  if (direction !== 'forward' && direction !== 'reverse') {
    return context.refuse(`${pointer}/direction`, 'takes "forward" or "reverse" as a direction');
  }
  const read = readLink(link, pointer, context);
  return read === NOTHING ? NOTHING : { ...read, direction };
}

function readLink(link: FieldInput, pointer: string, context: ParseContext): Link | Nothing {
  const type = typeof link['type'] === 'string' ? link['type'] : '';
  const id = otherEnd(link, pointer, context);
  const isKnown = linkTypesOf(context.definitions.platform()).some(({ shortname }) => shortname === type);
  if (!isKnown) return context.refuse(`${pointer}/type`, `does not know the link type ${shown(type)}`);
  return id === NOTHING ? NOTHING : { id, type };
}

function otherEnd({ id }: FieldInput, pointer: string, { refuse, artifact }: ParseContext): number | Nothing {
  const end = idFrom(id);
  if (end === undefined) return refuse(`${pointer}/id`, `takes the id of an artifact, not ${shown(id)}`);
  return end === artifact?.id ? refuse(`${pointer}/id`, 'cannot link an artifact to itself') : end;
}
