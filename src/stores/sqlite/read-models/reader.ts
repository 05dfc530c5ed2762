import { type Position } from '../../../core/event-log.js';
import { type Progress, type Generation } from '../../../core/projection.js';
import {
  notServed,
  plainQuery,
  type Document,
  type PageSlice,
  type Query,
  type ReadModel,
  type ReadModels,
  type Slice,
} from '../../../core/read-models.js';
import { positionWaiters } from '../../shared/position-waiters.js';
import { documentCache, JSON_TEXTS, type Parse } from '../../shared/document-cache.js';
import { totalCache } from '../../shared/total-cache.js';
import { versionOf, type Changes } from './changes.js';
import { openReadModelFile, type ReadModelFile } from './file.js';
import { tables } from './schema.js';
import { subscribersOf, type HandOver } from './subscribers.js';
import { readIds, readPage, readSlice, type PageQuery, type Totals } from './query/page.js';
import { positionsOf, stateOf } from './positions.js';
import { servedGenerations } from './serving-generations.js';
import { storable } from '../../shared/well-formed-text.js';

export interface SqliteReadModels extends ReadModels {
  /** Has to be called with every report of the projections' runner, in their order. */
  readonly notice: (progress: Progress) => void;
  /** Has to be called when the runner has withdrawn what a projection served, with the names of its read models. */
  readonly withdrawn: (projection: string, models: readonly string[]) => void;
  /** Whether readers see a generation of the projection. */
  readonly isServing: (projection: string) => boolean;
  readonly close: () => void;
}

/** The reading side of the embedded read models. It learns of commits through `notice` and `changes` only. */
export function sqliteReadModels(directory: string, changes?: Changes): SqliteReadModels {
  const file = openReadModelFile(directory, 'read');
  const served = servedGenerations(file);
  const asked = (): string => String(file.sql('PRAGMA data_version').get()?.['data_version']);
  const version = changes === undefined ? asked : versionOf(asked, changes);
  const waiters = positionWaiters();
  const subscribers = subscribersOf((model, seen) =>
    served.read(model, (generation): HandOver | null => handOver(file, generation, model, seen), NOTHING),
  );
  const reading: Read = (model, work) =>
    new Promise((resolve) => {
      resolve(served.read(model.name, work, () => refuse(model)));
    });

  for (const { projection, position } of served.load()) waiters.reached(projection, position);
  return {
    ...documentReader(file, reading),
    subscribe: (model, receive, signal) =>
      new Promise((resolve) => {
        subscribers.subscribe(model, receive, signal);
        resolve();
      }),
    // A switch of generations is seen here later than its commit.
    state: () => `${version()} ${served.switches()}`,
    stamp: (model, ids) =>
      served.read(
        model.name,
        (generation) => `${served.switches()} ${positionsOf(file, generation, model.name, ids)}`,
        () => '',
      ),
    caughtUp: (projection, position, patienceMs = 1000) => waiters.wait(projection, position, patienceMs),
    marks: (model) => served.marks(model),
    notice: ({ projection, generation, position, models, marked }) => {
      const switched = served.switchTo(projection, generation);
      if (marked !== undefined && !switched) served.mark(generation, marked);
      subscribers.tell(models, switched);
      if (position !== null) waiters.reached(projection, position);
    },
    withdrawn: (projection, models) => {
      served.load();
      waiters.forget(projection);
      subscribers.tell(models, true);
    },
    isServing: (projection) => served.isServing(projection),
    close: () => {
      waiters.close();
      file.close();
    },
  };
}

const NOTHING = (): null => null;

function refuse(model: ReadModel<Document>): never {
  throw notServed(model);
}

type Read = <T>(model: ReadModel<Document>, work: (generation: Generation) => T) => Promise<T>;

function documentReader(
  file: ReadModelFile,
  reading: Read,
): Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds'> {
  const documents: Documents = { file, parse: documentCache(JSON_TEXTS) };
  const numberOf = keyNumbers(file);
  const pages = { ...documents, numberOf, totals: totalCache() };
  return {
    get: (model, id) => reading(model, (generation) => getOne(documents, generation, model.name, id)),
    getMany: (model, ids) => reading(model, (generation) => getMany(documents, generation, model.name, ids)),
    getSlice: (model, ids) => reading(model, (generation) => getSlice(documents, generation, model.name, ids)),
    find: async <D extends Document>(model: ReadModel<D>, query: Query) => {
      const { items, total } = await reading(model, (generation) => find<D>(pages, generation, model.name, query));
      return { items, total };
    },
    findSlice: (model, query) =>
      reading(model, (generation) => find(pages, generation, model.name, { ...query, sliced: true })),
    findIds: (model, query) =>
      reading(model, (generation) =>
        file.transaction('DEFERRED', () => readIds({ file, names: tables(generation, model.name), numberOf }, query)),
      ),
  };
}

interface Documents {
  readonly file: ReadModelFile;
  readonly parse: Parse<string>;
}

function getOne<D extends Document>(
  { file, parse }: Documents,
  generation: Generation,
  model: string,
  id: D['id'],
): D | null {
  const row = file.sql(`SELECT body FROM ${tables(generation, model).documents} WHERE id = ?`).get(storable(id));
  return row === undefined ? null : (parse(model, id, row['body'] as string) as D);
}

function getMany<D extends Document>(
  documents: Documents,
  generation: Generation,
  model: string,
  ids: readonly D['id'][],
): readonly D[] {
  return [...new Set(ids)].flatMap((id) => getOne<D>(documents, generation, model, id) ?? []);
}

function getSlice<D extends Document>(
  { file, parse }: Documents,
  generation: Generation,
  model: string,
  ids: readonly D['id'][],
): Slice<D> {
  const { rows, rest } = readSlice({ file, names: tables(generation, model) }, ids);
  return { items: rows.map(({ id, body }) => parse(model, id, body) as D), rest };
}

interface Pages extends Documents {
  readonly numberOf: (key: string) => number | undefined;
  readonly totals: Totals;
}

function find<D extends Document>(
  { file, parse, numberOf, totals }: Pages,
  generation: Generation,
  model: string,
  query: Query & Pick<PageQuery, 'sliced'>,
): PageSlice<D> {
  return file.transaction('DEFERRED', () => {
    const { given, sliced } = query;
    const document = given && getOne({ file, parse }, generation, given.from.name, given.id);
    const plain = { ...plainQuery(query, document ?? null), sliced };
    const state = (): ReturnType<typeof stateOf> => stateOf(file, generation, model);
    const { rows, rest, total } = readPage({ file, names: tables(generation, model), numberOf }, plain, state, totals);
    return { items: rows.map(({ id, body }) => parse(model, id, body) as D), rest, total };
  });
}

/** A number, once given to a key, stays. */
function keyNumbers(file: ReadModelFile): (key: string) => number | undefined {
  const known = new Map<string, number>();
  return (key) => {
    const number = known.get(key);
    if (number !== undefined) return number;
    const row = file.sql('SELECT number FROM keys WHERE key = ?').get(storable(key));
    if (row === undefined) return undefined;
    known.set(key, Number(row['number']));
    return Number(row['number']);
  };
}

function handOver(file: ReadModelFile, generation: Generation, model: string, seen: Position | null): HandOver {
  const { documents, gone } = tables(generation, model);
  return file.transaction('DEFERRED', () => {
    const { position } = stateOf(file, generation, model);
    const complete =
      seen === null || file.sql(`SELECT 1 FROM ${gone} WHERE position > ? LIMIT 1`).get(seen) !== undefined;
    const rows = complete
      ? file.sql(`SELECT body FROM ${documents}`).all()
      : file.sql(`SELECT body FROM ${documents} WHERE position > ?`).all(seen);
    return { documents: rows.map((row) => JSON.parse(row['body'] as string) as Document), complete, position };
  });
}
