import { type Db } from 'mongodb';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { artifacts } from '../../../../projections/artifacts.js';
import { files } from '../../../../projections/files.js';
import { projectionDocuments, type StoredProjection } from '../../../../src/stores/mongodb/projection-documents.js';
import { projectionIds } from '../../../../src/stores/mongodb/projection-ids.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { mongoReadModels, type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { mongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { freshDatabase } from '../../../support/mongodb/for-each-mongodb.js';
import { PROJECTION } from '../../contracts/read-models-fixture.js';

/** Of version 0, so that generations are numbered as on SQLite. */
const TALLIES = { name: 'tallies', version: 0 };
export const IDS = projectionIds(
  [...[PROJECTION, 'others'].map((name) => ({ name, version: 1 })), TALLIES, artifacts, files],
  0,
);
/** Of the projection's state. */
export const ID = IDS.idOf(PROJECTION);

/** A database of one's own, and any number of readers and writers over it. */
export interface Place {
  readonly url: string;
  readonly db: Db;
  /** A worker with the last token there is by now. */
  readonly worker: (db?: Db) => Promise<ReadModelStore>;
  /** The next worker: from now on, all earlier ones have lost their lease. */
  readonly successor: (db?: Db) => Promise<ReadModelStore>;
  readonly reader: (db?: Db) => Promise<MongoReadModels>;
  readonly state: () => Promise<StoredProjection>;
  /** By way of another URL, say of a proxy. */
  readonly connected: (url: string) => Db;
  readonly close: () => Promise<void>;
}

export function place(serverUrl: string): Place {
  const fresh = freshDatabase(serverUrl);
  const closes: (() => Promise<void>)[] = [];
  const connected = (url: string): Db => {
    const database = mongoDatabase(url);
    closes.push(database.close);
    return database.db;
  };
  const db = connected(fresh.url);
  const projections = projectionDocuments(db);
  const worker = async (by = db): Promise<ReadModelStore> => {
    const token = (await projections.findOne({ _id: ID }))?.token ?? 0;
    return mongoReadModelStore({ db: by, ids: IDS, tokenOf: () => token });
  };
  return {
    url: fresh.url,
    db,
    worker,
    successor: async (by = db) => {
      await projections.updateOne({ _id: ID }, { $inc: { token: 1 } });
      return worker(by);
    },
    reader: async (by = db) => {
      const models = await mongoReadModels({ db: by, ids: IDS });
      closes.push(models.close);
      return models;
    },
    state: async () => {
      const state = await projections.findOne({ _id: ID });
      if (state === null) throw new Error('Nothing is known of the projection');
      return state;
    },
    connected,
    close: async () => {
      for (const close of closes.reverse()) await close();
      await fresh.drop();
    },
  };
}

/** A command on its way to the server: `pass` lets it through. */
export interface Underway {
  readonly collection: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly pass: () => unknown;
}

/** A database on the way to which each command can be held up, given up or let through. */
export function heldUp(db: Db, decide: (underway: Underway) => unknown): Db {
  const throughout = <T extends object>(target: T, collection: string): T =>
    new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: readonly unknown[]) =>
          decide({ collection, method: String(name), args, pass: (): unknown => Reflect.apply(member, target, args) });
      },
    });
  return new Proxy(db, {
    get: (_, name) => {
      const member: unknown = Reflect.get(db, name, db);
      if (name === 'collection') return (collection: string) => throughout(db.collection(collection), collection);
      return typeof member === 'function' ? (...args: unknown[]): unknown => Reflect.apply(member, db, args) : member;
    },
  });
}

/** Waits for a fact. */
export async function until(holds: () => boolean | Promise<boolean>, patienceMs = 10_000): Promise<void> {
  const giveUp = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('It never came to that');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Rejects where nothing fails. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('Nothing has failed');
}

/** Sees nothing new at once; once it hangs, when it is told to answer. */
export function hangingLook() {
  let [hangs, answer] = [false, (): void => undefined];
  const answered = new Promise<boolean>((resolve) => {
    answer = () => {
      resolve(false);
    };
  });
  return {
    look: () => (hangs ? answered : Promise.resolve(false)),
    hang: () => {
      hangs = true;
    },
    answer: () => {
      answer();
    },
  };
}
