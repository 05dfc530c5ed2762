/** Some of the streams that a filling comes upon, and how far it has seen them: held against the streams themselves. */
import { createHash } from 'node:crypto';
import {
  NO_STREAM,
  type EventReader,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from '../src/core/event-log.js';
import { type AnyProjection } from './apply.js';

export const SAMPLED_STREAMS = 50;
/** A longer stream takes too much to be read for a sample. */
const LONGEST_STREAM = 1000;
/** More streams that cannot be read are not waited for. */
const MOST_FAILURES = 3;

interface Seen {
  readonly rank: string;
  readonly revision: Revision;
}

export interface Sample {
  readonly see: (events: readonly Recorded[]) => void;
  /** What the filling has missed of these streams, up to a position, in words. `onStreams` is called for each. */
  readonly check: (
    log: Pick<EventReader, 'read'>,
    upTo: Position | null,
    onStreams?: (streams: number) => void,
  ) => Promise<readonly string[]>;
}

/** Its name alone decides about a stream, so that it is seen from its first event on or not at all. */
export function sampleOf({ when }: AnyProjection): Sample {
  const streams = sampledStreams();
  const isUsed = ({ type }: Recorded): boolean => Object.hasOwn(when, type);
  const lastIn = (events: readonly Recorded[] | null, upTo: Position): Revision =>
    events?.findLast((event) => isUsed(event) && event.position <= upTo)?.revision ?? NO_STREAM;
  return {
    see: (events) => {
      for (const { stream, revision } of events.filter(isUsed)) streams.add(stream, revision);
    },
    check: async (log, upTo, onStreams = () => undefined) => {
      const findings: string[] = [];
      let failures = 0;
      for (const [stream, { revision }] of streams.all()) {
        if (upTo === null || revision > LONGEST_STREAM || failures === MOST_FAILURES) continue;
        const events = await eventsOf(log, stream);
        if (events === null) failures += 1;
        const last = lastIn(events, upTo);
        if (last > revision) findings.push(`${stream} is at revision ${last}, but was seen up to ${revision} only`);
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
      const rank = streams.get(stream)?.rank ?? createHash('sha256').update(stream).digest('hex');
      if (highest !== null && rank > highest) return;
      streams.set(stream, { rank, revision });
      if (streams.size > SAMPLED_STREAMS) shrink();
    },
    all: () => streams,
  };
}

/** Null for a stream that cannot be read as a whole: what is wrong with one stream is not wrong with the filling. */
async function eventsOf(log: Pick<EventReader, 'read'>, stream: StreamName): Promise<readonly Recorded[] | null> {
  return log.read(stream).then(
    ({ events }) => events,
    () => null,
  );
}
