/** Pages of artifacts as JSON, made slice by slice, however large they are. */
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { Problem } from '../../core/problem.js';
import {
  slicesOf,
  type Criterion,
  type Document,
  type PageSlice,
  type PlainQuery,
  type ReadModel,
  type Slice,
} from '../../core/read-models.js';
import { begin, type Begun, type Parts } from '../../http/send-json.js';
import { artifactViews, type ArtifactView } from '../artifact-view.js';
import { type Texts } from './in-slices.js';
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

/** One text for each, in their order. */
type Represent = (artifacts: readonly ArtifactView[]) => Texts;

/**
 * The texts of all artifacts of a page, each judged after the artifact was read and once more after its text was made.
 * Holds at most a slice until the next list is requested.
 */
export async function* artifactTexts(
  page: Slice<ArtifactView>,
  { readModels, viewer }: Pick<Reading, 'readModels' | 'viewer'>,
  represent: Represent,
): Texts {
  const exactly = async function* (wanted: number, items: readonly ArtifactView[]): Texts {
    const visible = items.filter(viewer.canSeeArtifact);
    let count = 0;
    for await (const texts of represent(visible)) {
      const shown = visible.slice(count, (count += texts.length));
      if (!shown.every(viewer.canSeeArtifact)) throw new PageChanged();
      yield texts;
    }
    if (count !== wanted) throw new PageChanged();
  };
  let { rest } = page;
  yield* exactly(page.items.length, page.items);
  while (rest.length > 0) {
    await othersTurn();
    const next = await readModels.getSlice(artifactViews, rest, viewer.canSeeArtifact);
    const wanted = rest.length - next.rest.length;
    rest = next.rest;
    yield* exactly(wanted, next.items);
  }
}

/** The page of those of the ids that exist and may be seen, in the order of the ids. */
export async function visiblePage(
  ids: readonly number[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  { readModels, viewer, gone }: Pick<Reading, 'readModels' | 'viewer' | 'gone'>,
): Promise<PageSlice<ArtifactView>> {
  let first: readonly ArtifactView[] | undefined;
  const visible: number[] = [];
  for await (const found of slicesOf(readModels, artifactViews, ids, viewer.canSeeArtifact, gone)) {
    const seen = found.filter(viewer.canSeeArtifact);
    first ??= seen;
    visible.push(...seen.map(({ id }) => id));
  }
  const items = (first ?? []).slice(offset, offset + limit);
  const page = visible.slice(offset, offset + limit);
  return { items, rest: page.slice(items.length), total: visible.length };
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
