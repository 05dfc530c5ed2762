/** How the workers over one MongoDB share the projections out among them. */
import { type MongoDatabase } from '../stores/mongodb/connection.js';
import { type Coordination } from '../../projections/workers/leased-runner.js';
import { statusIn, storedStatus, type StoredStatus } from '../../projections/engine/projection-status.js';
import { type Report } from '../../projections/health/cluster-health.js';
import { projectionLeases } from '../stores/mongodb/leases.js';
import { projectionDocuments } from '../stores/mongodb/projection-documents.js';
import { type ProjectionIds } from '../stores/mongodb/projection-ids.js';
import { mongoViews } from '../stores/mongodb/read-models/views.js';
import { mongoReadModelStore } from '../stores/mongodb/read-models/writer.js';
import { type Requests } from '../stores/mongodb/rebuild-requests.js';
import { ARTIFACTS_CURRENT } from './reporting/artifacts-current.js';

interface CoordinationOptions {
  readonly db: MongoDatabase['db'];
  readonly ids: ProjectionIds;
  readonly requests: Requests;
  readonly onError: (error: unknown) => void;
}

export function coordination({ db, ids, requests, onError }: CoordinationOptions): Coordination {
  const { idOf } = ids;
  const documents = projectionDocuments(db);
  const leases = projectionLeases(db, { onError });
  const tokens = new Map<string, number>();
  const openRequests = askedTogether(() => requests.open());
  const views = mongoViews(db, [ARTIFACTS_CURRENT]);
  const store = mongoReadModelStore({ db, ids, tokenOf: (id) => tokens.get(id) ?? NOBODYS, onError, views });
  return {
    acquire: async (projection, signal) => {
      const lease = await leases.acquire(idOf(projection), signal);
      await views.showServed(idOf(projection)).catch(onError);
      return lease;
    },
    store: (projection, token) => {
      tokens.set(idOf(projection), token);
      return store;
    },
    publishStatus: async (projection, token, report) => {
      const status = JSON.stringify({ ...report, status: storedStatus(report.status) });
      await documents.updateOne({ _id: idOf(projection), token }, { $set: { status, version: report.status.version } });
    },
    nextRebuildRequest: async (projection, token) => {
      if (!(await openRequests()).has(projection)) return null;
      const taken = await requests.take(projection, token);
      if (taken === null) return null;
      const { id, together } = taken;
      return {
        together,
        progress: (progress) => requests.progress(id, token, progress),
        answer: async (result) => {
          // A new holder may have removed the generation meanwhile. Then the new holder answers.
          const isLost = (await documents.countDocuments({ _id: idOf(projection), token })) === 0;
          if (result.outcome === 'failed' && isLost) return;
          await requests.answer(id, token, result);
        },
      };
    },
  };
}

/** One query serves all callers within a short time. */
function askedTogether<T>(ask: () => Promise<T>): () => Promise<T> {
  let [asked, at] = [null as Promise<T> | null, -Infinity];
  return () => {
    if (asked === null || performance.now() - at > TOGETHER_MS) [asked, at] = [ask(), performance.now()];
    return asked;
  };
}

const TOGETHER_MS = 500;

/** No lease has this token. */
const NOBODYS = -1;

/** What a worker published through `publishStatus`. */
export function reportIn(json: unknown): Report | null {
  if (typeof json !== 'string') return null;
  const { status, heldUp } = JSON.parse(json) as Omit<Report, 'status'> & { readonly status: StoredStatus };
  return { status: statusIn(status), heldUp };
}
