import { type Db } from 'mongodb';
import { inserted } from './duplicate-key.js';
import { serverTime } from './server-time.js';
import { type ProjectionIds } from './projection-ids.js';

/** A wish that some other process is to fulfil, and what became of it so far. Payloads are JSON. */
interface RequestDocument {
  readonly _id: string;
  /** Id of the version that is to be rebuilt: workers of another release leave it alone. */
  readonly topic: string;
  /** All that are asked for at the same time. */
  readonly together: readonly string[];
  /** When its process asked, or asked again, by the server's clock. */
  readonly askedAt: Date;
  /** Fencing token of the process that has taken it up; null before. */
  readonly token: number | null;
  readonly progress: string | null;
  readonly answer: string | null;
}

interface RequestState {
  /** False once it was removed: there will be no answer. */
  readonly isThere: boolean;
  readonly progress: unknown;
  /** Undefined until there is one. */
  readonly answer: unknown;
}

/** What is asked for, by names of projections. */
export interface Rebuild {
  readonly projection: string;
  /** All that are asked for at the same time. */
  readonly together: readonly string[];
}

export interface Requests {
  /** Puts a request under an id of the caller's own. Repeated with the same id, it changes nothing. */
  ask(rebuild: Rebuild, id: string): Promise<void>;
  /** Its process still waits for the answer. */
  renew(id: string): Promise<void>;
  look(id: string): Promise<RequestState>;
  /** The process that asked needs it no longer. */
  remove(id: string): Promise<void>;
  /** Projections of which there are requests without an answer. Abandoned requests are passed over, here and by `take`. */
  open(): Promise<ReadonlySet<string>>;
  /** The request without an answer that no newer token has taken up, the one renewed longest ago; this token takes it up. */
  take(projection: string, token: number): Promise<(Pick<Rebuild, 'together'> & { readonly id: string }) | null>;
  progress(id: string, token: number, progress: unknown): Promise<void>;
  answer(id: string, token: number, answer: unknown): Promise<void>;
}

/** A request that no worker has taken, and that was not renewed for this long, is abandoned. */
const ABANDONED_MS = 30_000;
/** Older requests are removed. */
const OVERDUE_MS = 24 * 60 * 60 * 1000;

export function mongoRebuildRequests(db: Db, ids: ProjectionIds): Requests {
  const requests = db.collection<RequestDocument>('requests');
  const untaken = async () => ({
    token: null,
    askedAt: { $gte: new Date((await serverTime(db)).getTime() - ABANDONED_MS) },
  });
  const tell = async (id: string, token: number, told: Partial<RequestDocument>): Promise<void> => {
    await requests.updateOne({ _id: id, token }, { $set: told });
  };
  return {
    ask: async ({ projection, together }, id) => {
      const askedAt = await serverTime(db);
      await requests.deleteMany({ askedAt: { $lt: new Date(askedAt.getTime() - OVERDUE_MS) } });
      const topic = ids.idOf(projection);
      const request = { _id: id, topic, together, askedAt, token: null, progress: null, answer: null };
      await inserted(() => requests.insertOne(request));
    },
    renew: async (id) => {
      await requests.updateOne({ _id: id }, { $set: { askedAt: await serverTime(db) } });
    },
    look: async (id) => {
      const found = await requests.findOne({ _id: id });
      return {
        isThere: found !== null,
        progress: parsed(found?.progress),
        answer: parsed(found?.answer),
      };
    },
    remove: async (id) => {
      await requests.deleteOne({ _id: id });
    },
    open: async () => {
      const own = { topic: { $in: [...ids.all] }, answer: null, $or: [await untaken(), { token: { $ne: null } }] };
      const open = await requests.find(own, { projection: { topic: 1 } }).toArray();
      return new Set(open.map(({ topic }) => ids.nameIn(topic)));
    },
    // One that an earlier holder left unanswered is begun again, and one of this holder that it never heard of.
    take: async (projection, token) => {
      const open = { topic: ids.idOf(projection), answer: null, $or: [await untaken(), { token: { $lte: token } }] };
      const taken = await requests.findOneAndUpdate(open, { $set: { token } }, { sort: { askedAt: 1 } });
      return taken && { id: taken._id, together: taken.together };
    },
    progress: (id, token, progress) => tell(id, token, { progress: JSON.stringify(progress) }),
    answer: (id, token, answer) => tell(id, token, { answer: JSON.stringify(answer) }),
  };
}

function parsed(json: string | null | undefined): unknown {
  return typeof json === 'string' ? JSON.parse(json) : undefined;
}
