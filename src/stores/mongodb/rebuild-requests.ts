import { type Db } from 'mongodb';
import { inserted } from './duplicate-key.js';
import { type ProjectionIds } from './projection-ids.js';

/** A wish that some other process is to fulfil, and what became of it so far. Payloads are JSON. */
interface RequestDocument {
  readonly _id: string;
  /** Id of the version that is to be rebuilt: workers of another release leave it alone. */
  readonly topic: string;
  /** All that are asked for at the same time. */
  readonly together: readonly string[];
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
  look(id: string): Promise<RequestState>;
  /** The process that asked needs it no longer. */
  remove(id: string): Promise<void>;
  /** Projections of which there are requests without an answer. */
  open(): Promise<ReadonlySet<string>>;
  /** The oldest request without an answer that no newer token has taken up; this token takes it up. */
  take(projection: string, token: number): Promise<(Pick<Rebuild, 'together'> & { readonly id: string }) | null>;
  progress(id: string, token: number, progress: unknown): Promise<void>;
  answer(id: string, token: number, answer: unknown): Promise<void>;
}

/** No command waits for the answer any more. */
const OVERDUE_MS = 24 * 60 * 60 * 1000;

export function mongoRebuildRequests(db: Db, ids: ProjectionIds, clock: () => Date): Requests {
  const requests = db.collection<RequestDocument>('requests');
  const tell = async (id: string, token: number, told: Partial<RequestDocument>): Promise<void> => {
    await requests.updateOne({ _id: id, token, answer: null }, { $set: told });
  };
  return {
    ask: async ({ projection, together }, id) => {
      await requests.deleteMany({ askedAt: { $lt: new Date(clock().getTime() - OVERDUE_MS) } });
      const topic = ids.idOf(projection);
      const request = { _id: id, topic, together, askedAt: clock(), token: null, progress: null, answer: null };
      await inserted(() => requests.insertOne(request));
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
      const own = { topic: { $in: [...ids.all] }, answer: null };
      const open = await requests.find(own, { projection: { topic: 1 } }).toArray();
      return new Set(open.map(({ topic }) => ids.nameIn(topic)));
    },
    // One that an earlier holder left unanswered is begun again, and one of this holder that it never heard of.
    take: async (projection, token) => {
      const open = { topic: ids.idOf(projection), answer: null, $or: [{ token: null }, { token: { $lte: token } }] };
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
