import { type Clock } from '../../src/core/clock.js';
import { type Poison } from '../engine/apply-batch.js';
import { type Notice } from '../engine/projector-reports.js';

/** A projection that does not go on: what it serves falls behind the log. */
export interface UnhealthyProjection {
  readonly projection: string;
  /** Troubled: it is being tried again. */
  readonly state: 'stopped' | 'troubled';
  readonly reason: string;
  /** The event that it stopped at. */
  readonly poison: Poison | null;
  readonly since: Date;
}

export interface LocalHealth {
  readonly notice: (notice: Notice) => void;
  /** One that makes no progress. Returns whether no trouble tells why. */
  readonly standsStill: (projection: string, since: Date) => boolean;
  readonly unhealthy: () => readonly UnhealthyProjection[];
}

const BEHIND = 'It is behind the log';
const REFILLED = 'It is filled again: the log does not hold the event that it stood at';

/** Each failed try reports the trouble again. Without a new report, the last try succeeded. */
const QUIET_MS = 10_000;

interface Entry {
  readonly what: UnhealthyProjection;
  readonly until: number;
}

export function localHealth(clock: Clock): LocalHealth {
  const known = new Map<string, Entry>();
  const now = (): number => clock().getTime();
  const current = (projection: string): UnhealthyProjection | undefined => {
    const entry = known.get(projection);
    return entry === undefined || entry.until < now() ? undefined : entry.what;
  };
  return {
    notice: (notice) => {
      const { projection } = notice;
      if (notice.type === 'progress') known.delete(projection);
      if (!isTrouble(notice) || isShorter(notice, known.get(projection))) return;
      const since = current(projection)?.since ?? clock();
      const reason = reasonOf(notice);
      const state = notice.type === 'stopped' ? 'stopped' : 'troubled';
      const poison = notice.type === 'stopped' ? notice.poison : null;
      const until = lastsUntil(notice, now());
      known.set(projection, { what: { projection, state, reason, poison, since }, until });
    },
    standsStill: (projection, since) => {
      const what = current(projection) ?? { projection, state: 'troubled', reason: BEHIND, poison: null, since };
      const until = Math.max(known.get(projection)?.until ?? 0, now() + QUIET_MS);
      known.set(projection, { what: { ...what, since: what.since < since ? what.since : since }, until });
      return what.reason === BEHIND;
    },
    unhealthy: () => [...known.keys()].flatMap((projection) => current(projection) ?? []),
  };
}

type Trouble = Exclude<Notice, { type: 'progress' | 'marked' | 'differed' }>;

const isTrouble = (notice: Notice): notice is Trouble =>
  notice.type !== 'progress' && notice.type !== 'marked' && notice.type !== 'differed';

/** Whether it is of the filling of a projection that stopped or was withdrawn. Only progress ends either. */
const isShorter = ({ type }: Trouble, known: Entry | undefined): boolean =>
  type === 'troubled' && known?.until === Infinity;

function reasonOf(notice: Trouble): string {
  return notice.type === 'withdrawn' ? REFILLED : notice.reason;
}

function lastsUntil(notice: Trouble, now: number): number {
  if (notice.type === 'stopped' || notice.type === 'withdrawn') return Infinity;
  return now + (notice.type === 'troubled' ? notice.retryInMs : 0) + QUIET_MS;
}
