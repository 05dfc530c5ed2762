/** What the probe of readiness answers, in every composition. */
import { markedStreams } from './composition/marked-streams.js';
import { type Readiness } from './http/health.js';
import { type Service } from './service.js';

/** A stream that is unavailable is no reason to be unready. */
export function readinessOf(service: Pick<Service, 'heldUp' | 'readModels' | 'unserved'>, started: boolean): Readiness {
  const [projections, unavailable] = [service.heldUp(), markedStreams(service.readModels)];
  const unserved = service.unserved();
  const details = {
    ...(projections.length > 0 && { projections }),
    ...(unavailable.length > 0 && { unavailable }),
    ...(unserved.length > 0 && { unserved }),
  };
  return { started, ready: started && unserved.length === 0, details };
}
