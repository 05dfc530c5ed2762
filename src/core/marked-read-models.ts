/** The read models as routes see them: a document that is out of date is an error, and so is a page that depends on it. */
import { type StreamName } from './event-log.js';
import { markedProblem, NO_MARKS, refuseMarked, type Mark, type Marks } from './marks.js';
import {
  plainQuery,
  type Document,
  type Page,
  type Query,
  type ReadModel,
  type ReadModels,
  type Sees,
} from './read-models.js';

const everything = (): boolean => true;

export function markedReadModels(readModels: ReadModels): ReadModels {
  return {
    ...readModels,
    get: async <D extends Document>(model: ReadModel<D>, id: D['id'], sees: Sees<D> = everything) => {
      const document = await readModels.get(model, id);
      await refuseIds(readModels, model, [id], document === null ? [] : [document], sees);
      return document;
    },
    getMany: async <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees: Sees<D> = everything) => {
      const documents = await readModels.getMany(model, ids);
      await refuseIds(readModels, model, ids, documents, sees);
      return documents;
    },
    getSlice: async <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees: Sees<D> = everything) => {
      const slice = await readModels.getSlice(model, ids);
      const read = ids.slice(0, ids.length - slice.rest.length);
      await refuseIds(readModels, model, read, slice.items, sees);
      return slice;
    },
    find: (model, query, sees) => refusing(readModels, model, { ...query, sees }, readModels.find(model, query)),
    findSlice: (model, query, sees) =>
      refusing(readModels, model, { ...query, sees }, readModels.findSlice(model, query)),
  };
}

/** Documents of the page that have not been read yet are refused when they are. */
async function refusing<D extends Document, P extends Page<D>>(
  readModels: ReadModels,
  model: ReadModel<D>,
  { sees = everything, ...query }: Query & { readonly sees: Sees<D> | undefined },
  reading: Promise<P>,
): Promise<P> {
  const page = await reading;
  const marks = model.category === undefined ? NO_MARKS : readModels.marks(model.name);
  if (marks.size > 0) await refusePage(readModels, model, { ...query, sees }, page, marks);
  return page;
}

async function refuseIds<D extends Document>(
  readModels: ReadModels,
  model: ReadModel<D>,
  ids: readonly D['id'][],
  documents: readonly D[],
  sees: Sees<D>,
): Promise<void> {
  const marks = model.category === undefined ? NO_MARKS : readModels.marks(model.name);
  const marked = marks.size === 0 ? [] : ids.filter((id) => marks.has(streamOf(model, id)));
  if (marked.length === 0) return;
  const known = new Map(documents.map((document) => [document.id, document]));
  const gone = await goneOf(
    readModels,
    model,
    marked.filter((id) => !known.has(id)),
  );
  for (const id of marked) {
    const document = known.get(id);
    if (document === undefined ? !gone.has(id) : sees(document)) refuseMarked(marks, streamOf(model, id));
  }
}

/** Those that were deleted before the event that is not understood. */
async function goneOf<D extends Document>(
  readModels: ReadModels,
  { gone }: ReadModel<D>,
  ids: readonly Document['id'][],
): Promise<ReadonlySet<Document['id']>> {
  const found = gone === undefined || ids.length === 0 ? [] : await readModels.getMany(gone, ids);
  return new Set(found.map(({ id }) => id));
}

const streamOf = ({ category = '' }: Pick<ReadModel<Document>, 'category'>, id: Document['id']): StreamName =>
  `${category}-${id}`;

/** Of more marked documents, whether they might be on a page is not found out: any might be. */
const MOST_LOOKED_UP = 100;

interface Seen<D extends Document> {
  readonly sees: Sees<D>;
}

/** A page is right if no document on it is marked, and none that is marked might be on it: of those that are seen. */
async function refusePage<D extends Document>(
  readModels: ReadModels,
  model: ReadModel<D>,
  { scope, sees, ...query }: Query & Seen<D>,
  { items }: Page<D>,
  marks: Marks,
): Promise<void> {
  for (const { id } of items.filter(sees)) refuseMarked(marks, streamOf(model, id));
  if (scope === undefined) return;
  const { where } = plainQuery(query, null);
  const mark = await firstThatMightMatch(readModels, model, { where, scope, sees }, marks);
  if (mark !== undefined) throw markedProblem(mark);
}

type Scoped = Pick<Query, 'where'> & { readonly scope: NonNullable<Query['scope']> };

async function firstThatMightMatch<D extends Document>(
  readModels: ReadModels,
  model: ReadModel<D>,
  { where, scope, sees }: Scoped & Seen<D>,
  marks: Marks,
): Promise<Mark | undefined> {
  const all: Mark[] = [];
  for (const mark of marks.values()) {
    if (mark.stream.startsWith(`${model.category}-`)) all.push(mark);
    if (all.length > MOST_LOOKED_UP) return all[0];
  }
  if (all.length === 0) return undefined;
  const ids = all.map(({ stream }) => idIn(model, stream)).filter(Number.isSafeInteger);
  const outdated = new Map((await readModels.getMany(model, ids)).map((document) => [document.id, document]));
  const gone = await goneOf(
    readModels,
    model,
    ids.filter((id) => !outdated.has(id)),
  );
  const isWhole = where.every((one) => one.type === 'any-of' && one.key === scope.key);
  return all.find((mark) => {
    const document = outdated.get(idIn(model, mark.stream));
    if (document === undefined) return mayLackDocument(mark) && !gone.has(idIn(model, mark.stream));
    return !isWhole && isIn(model, document, scope) && sees(document);
  });
}

/** Ids of documents whose streams can be marked are numbers. */
function idIn<D extends Document>({ category = '' }: ReadModel<D>, stream: StreamName): D['id'] {
  return Number(stream.slice(category.length + 1));
}

/** The event that is not understood may be the one that makes the document, at any revision: a fence may come before it. */
function mayLackDocument({ schema }: Mark): boolean {
  return schema !== null;
}

/** Its other values may have changed. */
function isIn<D extends Document>(
  model: ReadModel<D>,
  document: D,
  { key, value }: NonNullable<Query['scope']>,
): boolean {
  const entries = model.entries?.(document) ?? [];
  return entries.some((entry) => 'value' in entry && entry.key === key && entry.value === value);
}
