/** What the probe of readiness answers, in every composition. */
import { type Readiness } from '../http/health.js';
import { type Service } from './service.js';
import { all } from '../../projections/all.js';
import { type Mark } from '../core/marks.js';
import { type ReadModels } from '../core/read-models.js';

type Watched = Pick<Service, 'unhealthy' | 'readModels' | 'unserved' | 'unreachable' | 'log'>;

/**
 * A stream that is unavailable is no reason to be unready, nor is a log that takes no events: all can be read. To be cut
 * off from a store is, so that requests go to processes that are not; this one goes on answering what it can.
 */
export function readinessOf(service: Watched, started: boolean): Readiness {
  const [projections, unavailable] = [service.unhealthy(), markedStreams(service.readModels)];
  const [unserved, unreachable] = [service.unserved(), service.unreachable()];
  const refusing = service.log.refusing();
  const details = {
    ...(projections.length > 0 && { projections }),
    ...(unavailable.length > 0 && { unavailable }),
    ...(unserved.length > 0 && { unserved }),
    ...(unreachable.length > 0 && { unreachable }),
    ...(refusing !== undefined && { degraded: [{ component: 'log', ...refusing }] }),
  };
  return { started, ready: started && unserved.length === 0 && unreachable.length === 0, details };
}

export interface MarkedStream extends Mark {
  readonly projection: string;
}

/** A list for operators names so many of each projection. */
const MOST_NAMED = 100;

/** Streams that what is served does not follow any longer. All read models of a projection have the same. */
export function markedStreams({ marks }: Pick<ReadModels, 'marks'>): readonly MarkedStream[] {
  return all.flatMap(({ name, models: [model = name] }) =>
    [...marks(model).values()].slice(0, MOST_NAMED).map((mark) => ({ projection: name, ...mark })),
  );
}
