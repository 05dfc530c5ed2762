/** What is read of documents: at once, or, where it takes long, by another thread. */
import { type Generation } from '../../../core/projection.js';
import {
  notServed,
  plainQuery,
  type Document,
  type Given,
  type PageSlice,
  type Query,
  type ReadModel,
  type ReadModels,
  type Slice,
} from '../../../core/read-models.js';
import { documentCache, JSON_TEXTS, type Parse } from '../../shared/document-cache.js';
import { totalCache, type Totals } from '../../shared/total-cache.js';
import { promised } from '../connection.js';
import { type ReadModelFile } from './file.js';
import { type GivenBody, type LongAnswer, type LongQuery } from './long-queries/messages.js';
import { bodyOf, stateOf } from './stored-documents.js';
import { condition } from './query/criteria-to-sql.js';
import { keyLookup } from './index/key-numbers.js';
import { hasManySizes, rowsForTexts, rowsLookedAt } from './query/length.js';
import { readPage, readSlice, type PageQuery, type StoredPage } from './query/page.js';
import { sizeEstimates, type SizeOf } from './query/sizes.js';
import { tables } from './schema.js';
import { type Served } from './serving-generations.js';

interface DocumentSource {
  readonly file: ReadModelFile;
  readonly served: Pick<Served, 'read'>;
  /** Rows that a page may look at on the thread that asks. */
  readonly fewRows: number;
  readonly askAnother: (query: LongQuery) => Promise<LongAnswer>;
}

interface DocumentReading extends Omit<DocumentSource, 'served'> {
  readonly parse: Parse<string>;
  readonly numberOf: (key: string) => number | undefined;
  readonly sizeOf: SizeOf;
  readonly totals: Totals;
  /** Of what is served; throws where nothing is. */
  readonly read: <T>(model: ReadModel<Document>, work: (generation: Generation) => T) => T;
}

type Finding = Query & Pick<PageQuery, 'sliced' | 'idsAlone'>;

export function documentReader({
  served,
  ...source
}: DocumentSource): Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds'> {
  const { file } = source;
  const lookups = { numberOf: keyLookup(file), sizeOf: sizeEstimates(file) };
  const read: DocumentReading['read'] = (model, work) => served.read(model.name, work, () => refuse(model));
  const parse = documentCache({ ...JSON_TEXTS, documentIn: file.parse });
  const reading = { ...source, ...lookups, parse, totals: totalCache(), read };
  return {
    get: (model, id) => promised(() => read(model, (generation) => getOne(reading, generation, model.name, id))),
    getMany: (model, ids) => promised(() => read(model, (generation) => getMany(reading, generation, model.name, ids))),
    getSlice: (model, ids) =>
      promised(() => read(model, (generation) => getSlice(reading, generation, model.name, ids))),
    find: async <D extends Document>(model: ReadModel<D>, query: Query) => {
      const { items, total } = await find<D>(reading, model, query);
      return { items, total };
    },
    findSlice: (model, query) => find(reading, model, { ...query, sliced: true }),
    findIds: async (model, query) => (await find(reading, model, { ...query, idsAlone: true })).rest,
  };
}

function refuse(model: ReadModel<Document>): never {
  throw notServed(model);
}

function getOne<D extends Document>(
  { file, parse }: DocumentReading,
  generation: Generation,
  model: string,
  id: D['id'],
): D | null {
  const body = bodyOf(file, generation, model, id);
  return body === null ? null : (parse(model, id, body) as D);
}

function getMany<D extends Document>(
  reading: DocumentReading,
  generation: Generation,
  model: string,
  ids: readonly D['id'][],
): readonly D[] {
  return [...new Set(ids)].flatMap((id) => getOne<D>(reading, generation, model, id) ?? []);
}

function getSlice<D extends Document>(
  { file, parse }: DocumentReading,
  generation: Generation,
  model: string,
  ids: readonly D['id'][],
): Slice<D> {
  const { rows, rest } = readSlice({ file, names: tables(generation, model) }, ids);
  return { items: rows.map(({ id, body }) => parse(model, id, body) as D), rest };
}

async function find<D extends Document>(
  reading: DocumentReading,
  model: ReadModel<D>,
  query: Finding,
): Promise<PageSlice<D>> {
  const found = reading.read(model, (generation) => pageOrQuery(reading, generation, model.name, query));
  const { rows, rest, total, beforeLast } = 'rows' in found ? found : await pageOfAnother(reading, model, query, found);
  const parsed = ({ id, body }: (typeof rows)[number]): D => reading.parse(model.name, id, body) as D;
  return { items: rows.map(parsed), rest, total, beforeLast: beforeLast && parsed(beforeLast) };
}

/** In one transaction, so that the given document belongs to the page. */
function pageOrQuery(
  { file, parse, numberOf, sizeOf, totals, fewRows }: DocumentReading,
  generation: Generation,
  model: string,
  finding: Finding,
): StoredPage | LongQuery {
  return file.transaction('DEFERRED', () => {
    const given = finding.given && givenBody(file, generation, finding.given);
    const query = withGiven(parse, finding, given);
    const source = { file, names: tables(generation, model), numberOf, sizeOf };
    const texts = rowsForTexts(source, query.where);
    const long = { model, query, given, rowsForTexts: texts };
    const state = stateOf(file, generation, model);
    const hasFew = isLookUp(query) || state.documents <= fewRows;
    if (texts > fewRows || (!hasFew && hasManySizes(query.where))) return long;
    const matching = condition(source, query.where);
    const rows = hasFew ? 0 : rowsLookedAt(query, matching, state.documents);
    return rows <= fewRows ? readPage(source, query, matching, () => state, totals) : long;
  });
}

/** As for the links of artifacts: by one entry of the index, about as many rows as there are ids. */
const isLookUp = ({ idsAlone, where: [first, ...rest] }: PageQuery): boolean =>
  idsAlone === true && first?.type === 'any-of' && rest.length === 0;

function givenBody(file: ReadModelFile, generation: Generation, { from, id }: Given): GivenBody {
  return { model: from.name, id, body: bodyOf(file, generation, from.name, id) };
}

function withGiven(parse: Parse<string>, finding: Finding, given: GivenBody | undefined): PageQuery {
  const { sliced, idsAlone } = finding;
  const isThere = given !== undefined && given.body !== null;
  const document = isThere ? parse(given.model, given.id, given.body) : null;
  return { ...plainQuery(finding, document), sliced, idsAlone };
}

/** The other thread reads at a later moment. Where the given document has changed by then, it is asked once more. */
async function pageOfAnother(
  { askAnother, parse }: DocumentReading,
  model: ReadModel<Document>,
  finding: Finding,
  first: LongQuery,
): Promise<StoredPage> {
  for (let query = first; ;) {
    const answer = await askAnother(query);
    switch (answer.type) {
      case 'page':
        return answer.page;
      case 'given':
        query = { ...query, query: withGiven(parse, finding, answer.given), given: answer.given };
        break;
      case 'not-served':
        throw notServed(model);
      case 'failed':
        throw new Error(answer.message);
    }
  }
}
