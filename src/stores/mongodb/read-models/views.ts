/** Views for the tools of MongoDB: what is served of read models, under a name that does not change with the generation. */
import { MongoServerError, type Db } from 'mongodb';
import { messageOf, PermanentError, retry } from '../../../core/concurrency/retry.js';
import { Problem } from '../../../core/problem.js';
import { type Generation } from '../../../core/projection.js';
import { unavailable } from '../connection.js';
import { serverTime } from '../server-time.js';
import { projectionDocuments } from '../projection-documents.js';
import { versionIn } from '../projection-ids.js';
import { collectionName, documentsOf } from './documents.js';

/** Of a pipeline. */
export type Stage = Readonly<Record<string, unknown>>;

export interface View {
  readonly name: string;
  readonly projection: string;
  /** The read model of which it shows documents, and others of the projection, which it looks up by the ids of their documents. */
  readonly on: string;
  readonly joined: readonly string[];
  readonly pipeline: (collectionOf: (model: string) => string) => readonly Stage[];
}

export interface Views {
  /** From now on they show this generation, unless a worker keeps a later version up to date. */
  readonly show: (id: string, generation: Generation) => Promise<void>;
  /** The same for the generation that is served, if there is one. */
  readonly showServed: (id: string) => Promise<void>;
}

/** An election is over by then. */
const PATIENCE_MS = 15_000;

export function mongoViews(db: Db, views: readonly View[]): Views {
  const showAll = async (id: string, generation: Generation, wanted: readonly View[]): Promise<void> => {
    if (await isLaterKept(db, id)) return;
    for (const view of wanted) await showOne(db, view, generation);
  };
  const show = async (id: string, generation: Generation): Promise<void> => {
    const wanted = views.filter(({ projection }) => projection === versionIn(id).name);
    if (wanted.length === 0) return;
    const trying = (): Promise<void> => showAll(id, generation, wanted).catch(permanentUnlessOutage);
    await retry(trying, new AbortController().signal, () => undefined, { patienceMs: PATIENCE_MS });
  };
  return {
    show,
    showServed: async (id) => {
      const serving = (await projectionDocuments(db).findOne({ _id: id }))?.serving ?? null;
      if (serving !== null) await show(id, serving);
    },
  };
}

function permanentUnlessOutage(error: unknown): never {
  if (unavailable(error) instanceof Problem) throw error;
  throw new PermanentError(messageOf(error), { cause: error });
}

async function isLaterKept(db: Db, id: string): Promise<boolean> {
  const { name, version } = versionIn(id);
  const states = await projectionDocuments(db).find().toArray();
  const now = await serverTime(db);
  return states.some(({ _id, serving, lease }) => {
    const other = versionIn(_id);
    const isLater = other.name === name && other.version > version;
    return isLater && serving !== null && lease !== null && lease.expiresAt > now;
  });
}

async function showOne(db: Db, { name, on, joined, pipeline }: View, generation: Generation): Promise<void> {
  const definition = definitionOf({ on, pipeline }, generation);
  const there = await kindOf(db, name);
  if (there === COLLECTION) throw new Error(`${name} is a collection, and no view of this service`);
  if (there === null && !(await isCreated(db, name, definition))) return;
  for (const model of joined) await documentsOf(db, model, generation).createIndexes([{ key: { 'document.id': 1 } }]);
  if (there === VIEW) await db.command({ collMod: name, ...definition });
}

/** What the view is made of. */
export function definitionOf({ on, pipeline }: Pick<View, 'on' | 'pipeline'>, generation: Generation) {
  const collectionOf = (model: string): string => collectionName(model, generation);
  return { viewOn: collectionOf(on), pipeline: [...pipeline(collectionOf)] };
}

const VIEW = 'view';
const COLLECTION = 'collection';

/** Of what bears this name; null for nothing. */
async function kindOf(db: Db, name: string): Promise<string | null> {
  const all = await db.listCollections().toArray();
  return all.find((one) => one.name === name)?.type ?? null;
}

/** Success of the command proves nothing: some servers make a collection. */
async function isCreated(db: Db, name: string, definition: ReturnType<typeof definitionOf>): Promise<boolean> {
  try {
    await db.createCollection(name, definition);
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
  const kind = await kindOf(db, name);
  if (kind === COLLECTION) await db.dropCollection(name);
  return kind === VIEW;
}

const UNKNOWN_CODES = new Set<unknown>([
  115, // CommandNotSupported
  238, // NotImplemented
  303, // a feature that a compatible server lacks
]);

const isUnknown = (error: unknown): boolean => error instanceof MongoServerError && UNKNOWN_CODES.has(error.code);
