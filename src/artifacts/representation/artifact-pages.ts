/** Pages of artifacts as JSON, made slice by slice, however large they are. */
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { inLook } from '../../core/logs/long-readings.js';
import { makeLongText } from '../../core/logs/long-texts.js';
import { Problem } from '../../core/problem.js';
import {
  type Criterion,
  type Document,
  type PageSlice,
  type PlainQuery,
  type ReadModel,
  type Slice,
} from '../../core/read-models.js';
import { begin, type Begun, type Parts } from '../../http/send-json.js';
import { artifactViews, type ArtifactView } from '../artifact-view.js';
import { hasLong, type Texts } from './in-slices.js';
import { visibleEnds } from './load-related.js';
import { type Reading } from './reading.js';

/** Since the page was read, one of its artifacts was deleted or hidden from the reader, or the rights in its tracker changed. */
export class PageChanged extends Error {
  override readonly name = 'PageChanged';

  constructor() {
    super('An artifact of the page was deleted, or who may see what in its tracker changed, while the page was read');
  }
}

const MOST_TRIES = 3;

interface Page<Facts> {
  /** What the headers tell. */
  readonly facts: Facts;
  readonly texts: AsyncIterator<Parts>;
}

/** The beginning is made again if the page changes meanwhile. Later, a change of that kind is an error of the rest. */
export async function beginPage<Facts>(
  make: () => Promise<Page<Facts>>,
): Promise<{ readonly facts: Facts; readonly begun: Begun }> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { facts, texts } = await make();
      return { facts, begun: await begin(texts) };
    } catch (error) {
      if (!(error instanceof PageChanged)) throw error;
      if (tries === MOST_TRIES)
        throw new Problem('unavailable', 'The page changed during every read; retry later', { retryAfter: 1 });
    }
  }
}

type Looking = Pick<Reading, 'readModels' | 'viewer' | 'gone'>;

/** One text for each, in their order. */
type Represent = (artifacts: readonly ArtifactView[]) => Texts;

/**
 * The texts of all artifacts of a page, each judged after the artifact was read and once more after its text was made.
 * Holds at most a slice until the next list is requested. Long artifacts are read in the turn of their texts: neither
 * who waits for the turn nor who waits for a reader holds them. Texts without values have no `gone`: they are short.
 */
export async function* artifactTexts(
  { items, rest }: Slice<ArtifactView>,
  reading: Looking,
  represent: Represent,
): Texts {
  yield* exactTexts(items, items.length, reading, represent);
  const left = { ids: rest, isLong: false };
  while (left.ids.length > 0) {
    await othersTurn();
    const slice = left.isLong ? null : await shortSlice(left.ids, reading);
    // In no variable: the generator would hold it while the next slice is waited for.
    if (slice === null) yield await longSlice(left, reading, represent);
    else {
      yield* exactTexts(slice.items, left.ids.length - slice.rest.length, reading, represent);
      left.ids = slice.rest;
    }
  }
}

/** Null if it is long. */
async function shortSlice(
  ids: readonly number[],
  { readModels, viewer, gone }: Looking,
): Promise<Slice<ArtifactView> | null> {
  const slice = await readModels.getSlice(artifactViews, ids, viewer.canSeeArtifact);
  return gone !== undefined && hasLong(slice.items) ? null : slice;
}

/** Takes its ids from those that are left, and tells whether it was long. */
const longSlice = (
  left: { ids: readonly number[]; isLong: boolean },
  reading: Looking,
  represent: Represent,
): Promise<readonly string[]> =>
  makeLongText(
    async () => {
      const { items, rest } = await reading.readModels.getSlice(artifactViews, left.ids, reading.viewer.canSeeArtifact);
      const texts: string[] = [];
      for await (const some of exactTexts(items, left.ids.length - rest.length, reading, represent))
        texts.push(...some);
      Object.assign(left, { ids: rest, isLong: hasLong(items) });
      return texts;
    },
    reading.gone,
    { holdsNothing: true },
  );

async function* exactTexts(
  items: readonly ArtifactView[],
  wanted: number,
  { viewer: { canSeeArtifact } }: Pick<Reading, 'viewer'>,
  represent: Represent,
): Texts {
  const visible = items.filter(canSeeArtifact);
  let count = 0;
  for await (const texts of represent(visible)) {
    const shown = visible.slice(count, (count += texts.length));
    if (!shown.every(canSeeArtifact)) throw new PageChanged();
    yield texts;
  }
  if (count !== wanted) throw new PageChanged();
}

/** The same page. Long artifacts of its first slice are read again: who waits for its turn does not hold them. */
export const withoutLong = <Page extends Slice<ArtifactView>>(page: Page): Page =>
  hasLong(page.items) ? { ...page, items: [], rest: [...page.items.map(({ id }) => id), ...page.rest] } : page;

/** The page of those of the ids that exist and may be seen, in the order of the ids. */
export async function visiblePage(
  ids: readonly number[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  looking: Looking,
): Promise<PageSlice<ArtifactView>> {
  const { seen, short, rest } = await firstLook(ids, looking);
  const others = rest.length === 0 ? null : await inLook(() => visibleEnds(rest, looking), looking.gone);
  const visible = [...seen, ...(others?.keys() ?? [])];
  const items = short.slice(offset, offset + limit);
  const page = visible.slice(offset, offset + limit);
  return { items, rest: page.slice(items.length), total: visible.length };
}

/** `short`: those that are seen, which are held unless one of them is long. */
async function firstLook(ids: readonly number[], { readModels, viewer: { canSeeArtifact } }: Looking) {
  const { items, rest } = await readModels.getSlice(artifactViews, ids, canSeeArtifact);
  const visible = items.filter(canSeeArtifact);
  return { seen: visible.map(({ id }) => id), short: hasLong(visible) ? [] : visible, rest };
}

/** Ids read at a time. */
const IDS_PAGE = 500;

/** The ids of all documents that match, by id. */
export async function* pagesOfIds<Id extends Document['id']>(
  model: ReadModel<Document & { readonly id: Id }>,
  where: readonly Criterion[],
  { readModels, gone }: Pick<Reading, 'readModels' | 'gone'>,
): AsyncGenerator<readonly Id[]> {
  const query: PlainQuery = { where, direction: 'asc', limit: IDS_PAGE, offset: 0 };
  for (let last: Id | undefined; ;) {
    gone?.throwIfAborted();
    const after = last === undefined ? {} : { after: { values: [], id: last } };
    const page = await readModels.findIds(model, { ...query, ...after });
    if (page.length > 0) yield page;
    if (page.length < IDS_PAGE) return;
    last = page.at(-1);
    await othersTurn();
  }
}
