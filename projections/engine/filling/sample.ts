/** Some of the streams that a filling comes upon, and how far it has seen them: held against the streams themselves. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type EventReader,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from '../../../src/core/event-log.js';
import { type AnyProjection } from '../generation-progress.js';

export const SAMPLED_STREAMS = 50;
/** Events that are looked at in one stretch, without their data. */
const SLICE = 100;
/** After so many events without use, the stream is not followed further. */
const MOST_LOOKED_AT = 1000;
/** More streams that cannot be read are not waited for. */
const MOST_FAILURES = 3;

interface Seen {
  readonly rank: string;
  readonly revision: Revision;
}

type Seeable = Pick<Recorded, 'type' | 'stream' | 'revision'>;

export interface Sample {
  readonly see: (events: readonly Seeable[]) => void;
  /** What the filling has missed of these streams, up to a position, in words. `onStreams` is called for each. */
  readonly check: (
    log: Pick<EventReader, 'places'>,
    upTo: Position | null,
    onStreams?: (streams: number) => void,
  ) => Promise<readonly string[]>;
}

/** Its name alone decides about a stream, so that it is seen from its first event on or not at all. */
export function sampleOf({ when }: AnyProjection): Sample {
  const streams = sampledStreams();
  const isUsed = ({ type }: Pick<Recorded, 'type'>): boolean => Object.hasOwn(when, type);
  return {
    see: (events) => {
      for (const { stream, revision } of events.filter(isUsed)) streams.add(stream, revision);
    },
    check: async (log, upTo, onStreams = () => undefined) => {
      const findings: string[] = [];
      let failures = 0;
      for (const [stream, { revision }] of streams.all()) {
        if (upTo === null || failures === MOST_FAILURES) continue;
        try {
          const missed = await firstOf(log, { stream, after: revision, upTo, isUsed });
          if (missed !== null) findings.push(`${stream} has revision ${missed}, but was seen up to ${revision} only`);
        } catch {
          // What is wrong with one stream is not wrong with the filling.
          failures += 1;
        }
        onStreams(1);
      }
      return findings;
    },
  };
}

function sampledStreams(): {
  readonly add: (stream: StreamName, revision: Revision) => void;
  readonly all: () => ReadonlyMap<StreamName, Seen>;
} {
  const streams = new Map<StreamName, Seen>();
  let highest: Seen['rank'] | null = null;
  const shrink = (): void => {
    const ranked = [...streams].sort(([, one], [, other]) => (one.rank < other.rank ? -1 : 1));
    for (const [name] of ranked.slice(SAMPLED_STREAMS)) streams.delete(name);
    highest = ranked[SAMPLED_STREAMS - 1]?.[1].rank ?? null;
  };
  return {
    add: (stream, revision) => {
      const seen = streams.get(stream);
      const rank = seen?.rank ?? hash('sha256', stream);
      if (highest !== null && rank > highest) return;
      streams.set(stream, { rank, revision: Math.max(revision, seen?.revision ?? revision) });
      if (streams.size > SAMPLED_STREAMS) shrink();
    },
    all: () => streams,
  };
}

interface Sought {
  readonly stream: StreamName;
  readonly after: Revision;
  readonly upTo: Position;
  readonly isUsed: (event: Pick<Recorded, 'type'>) => boolean;
}

/** The revision of the first event of use after another one; null if there is none. */
async function firstOf(
  log: Pick<EventReader, 'places'>,
  { stream, after, upTo, isUsed }: Sought,
): Promise<Revision | null> {
  for (let from = after; from < after + MOST_LOOKED_AT; from += SLICE) {
    const places = await log.places(stream, from, SLICE);
    const found = places.find((event) => event.position <= upTo && isUsed(event));
    if (found !== undefined) return found.revision;
    await setImmediate();
    const last = places.at(-1);
    if (last === undefined || places.length < SLICE || last.position > upTo) break;
  }
  return null;
}
