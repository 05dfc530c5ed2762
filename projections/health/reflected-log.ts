/** How far the read models are, for everybody: positions, events and reasons are for administrators. */
import { setTimeout as pause } from 'node:timers/promises';
import { type EventLog, type Position } from '../../src/core/event-log.js';
import { type Projections } from '../engine/projections.js';
import { type ProjectionStatus } from '../engine/projection-status.js';
import { type UnhealthyProjection } from './local-health.js';

/** A page does not wait longer for a store that does not answer. */
const PATIENCE_MS = 1000;

export interface ReflectedLog {
  readonly projection: string;
  readonly state: ProjectionStatus['state'] | UnhealthyProjection['state'] | 'unknown';
  /** The part of the log, from 0 to 1, that readers see; null where it cannot be told now. */
  readonly reflected: number | null;
}

interface Watched {
  readonly projections: Pick<Projections, 'names' | 'status'>;
  readonly unhealthy: () => readonly UnhealthyProjection[];
  readonly log: Pick<EventLog, 'end' | 'fractionAt'>;
}

export async function reflectedLog(service: Watched): Promise<readonly ReflectedLog[]> {
  const held = new Map(service.unhealthy().map(({ projection, state }) => [projection, state]));
  const unknown = service.projections.names.map((projection): ReflectedLog => ({
    projection,
    state: held.get(projection) ?? 'unknown',
    reflected: null,
  }));
  const patience = new AbortController();
  const late = pause(PATIENCE_MS, unknown, { signal: patience.signal, ref: false });
  try {
    return await Promise.race([reflectedNow(service, held), late]);
  } catch {
    return unknown;
  } finally {
    patience.abort();
  }
}

async function reflectedNow(
  { projections, log }: Watched,
  held: ReadonlyMap<string, ReflectedLog['state']>,
): Promise<readonly ReflectedLog[]> {
  const end = await log.end();
  const statuses = await projections.status();
  const share = (position: Position | null): number => {
    if (end === null || (position !== null && position >= end)) return 1;
    return position === null ? 0 : log.fractionAt(position, end);
  };
  return statuses.map(({ projection, state, served }) => ({
    projection,
    state: held.get(projection) ?? state,
    reflected: share(served?.position ?? null),
  }));
}
