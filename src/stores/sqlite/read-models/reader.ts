import { type Progress, type Generation } from '../../../core/projection.js';
import { type Document, type PlainQuery, type ReadModel, type ReadModels } from '../../../core/read-models.js';
import { positionWaiters } from '../../shared/position-waiters.js';
import { promised } from '../connection.js';
import { versionOf, type Changes } from './changes.js';
import { documentReader } from './document-reader.js';
import { openReadModelFile, type ReadModelFile } from './file.js';
import { tables } from './schema.js';
import { refreshing, subscribersOf, type HandOver, type Seen } from './subscribers.js';
import { longQueries } from './long-queries/threads.js';
import { positionsOf, stateOf } from './stored-documents.js';
import { servedGenerations, type Served } from './serving-generations.js';

export interface SqliteReadModels extends ReadModels {
  /** Has to be called with every report of the projections' runner, in their order. */
  readonly notice: (progress: Progress) => void;
  /** Has to be called when the runner has withdrawn what a projection served, with the names of its read models. */
  readonly withdrawn: (projection: string, models: readonly string[]) => void;
  /** Brings what is kept in memory up to the file, if the file has changed. For a process that gets no reports. */
  readonly refresh: () => void;
  /** Whether readers see a generation of the projection. */
  readonly isServing: (projection: string) => boolean;
  readonly close: () => Promise<void>;
}

export interface ReadingOptions {
  readonly changes?: Changes;
  /** A page that may look at more is read by another thread. */
  readonly fewRows?: number;
}

/** SQLite takes some milliseconds for them. */
const FEW_ROWS = 4000;

/** The reading side of the embedded read models. It learns of commits through `notice` and `changes` only. */
export function sqliteReadModels(
  directory: string,
  { changes, fewRows = FEW_ROWS }: ReadingOptions = {},
): SqliteReadModels {
  const file = openReadModelFile(directory, 'read');
  const served = servedGenerations(file);
  const version = versionIn(file, changes);
  const waiters = positionWaiters();
  const subscribers = subscribersOf((model, seen) =>
    served.read(model, (generation): HandOver | null => handOver(file, generation, model, seen), NOTHING),
  );
  const elsewhere = longQueries(directory);
  const reading = documentReader({ file, served, fewRows, askAnother: elsewhere.ask });

  for (const { projection, position } of served.load()) if (position !== null) waiters.reached(projection, position);
  return {
    ...reading,
    subscribe: (model, receive, signal) =>
      promised(() => {
        subscribers.subscribe(model, receive, signal);
      }),
    // A switch of generations is seen here later than its commit.
    state: () => `${version()} ${served.switches()}`,
    stamp: stamping(file, served, reading.findIds),
    caughtUp: (projection, position, patienceMs = 1000) => waiters.wait(projection, position, patienceMs),
    marks: (model) => served.marks(model),
    notice: ({ projection, generation, position, models, marked }) => {
      const switched = served.switchTo(projection, generation);
      if (marked !== undefined && !switched) served.mark(generation, marked);
      subscribers.tell(models);
      if (position !== null) waiters.reached(projection, position);
    },
    withdrawn: (projection, models) => {
      served.load();
      waiters.forget(projection);
      subscribers.tell(models);
    },
    refresh: refreshing(version, served, subscribers),
    isServing: (projection) => served.isServing(projection),
    close: async () => {
      waiters.close();
      await elsewhere.close();
      file.close();
    },
  };
}

const NOTHING = (): null => null;

/** To look at more takes about as long as to make what is compared by the stamp. */
const MOST_REFERRING = 100;

const stamping =
  (file: ReadModelFile, served: Served, findIds: ReadModels['findIds']): ReadModels['stamp'] =>
  async (model, ids, referredTo) => {
    const referring = referredTo === undefined ? [] : await findIds(model, referringTo(model, referredTo));
    if (referring.length > MOST_REFERRING) return undefined;
    const positions = (generation: Generation): string =>
      `${served.switches()} ${positionsOf(file, generation, model.name, [...ids, ...referring])}`;
    return served.read<string | undefined>(model.name, positions, () => undefined);
  };

function referringTo({ stamped }: ReadModel<Document>, id: Document['id']): PlainQuery {
  const where = [{ type: 'any-of', key: stamped?.references ?? '', values: [id] }] as const;
  return { where, direction: 'asc', limit: MOST_REFERRING + 1, offset: 0 };
}

function versionIn(file: ReadModelFile, changes: Changes | undefined): () => string {
  const asked = (): string => String(file.sql('PRAGMA data_version').get()?.['data_version']);
  return changes === undefined ? asked : versionOf(asked, changes);
}

function handOver(file: ReadModelFile, generation: Generation, model: string, seen: Seen | null): HandOver {
  const { documents, gone } = tables(generation, model);
  return file.transaction('DEFERRED', () => {
    const { position } = stateOf(file, generation, model);
    const after = seen?.generation === generation ? seen.position : null;
    const complete =
      after === null || file.sql(`SELECT 1 FROM ${gone} WHERE position > ? LIMIT 1`).get(after) !== undefined;
    const rows = complete
      ? file.sql(`SELECT body FROM ${documents}`).all()
      : file.sql(`SELECT body FROM ${documents} WHERE position > ?`).all(after);
    const parsed = rows.map((row) => file.parse(row['body'] as string));
    return { documents: parsed, complete, seen: { generation, position } };
  });
}
