import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeStream, type Collection } from 'mongodb';
import { Problem } from '../../../core/problem.js';
import { type StoredProjection } from '../projection-documents.js';
import { unavailable } from '../connection.js';

export interface Changes {
  /** Starts watching where that is not done. To be called now and then: a stream that an outage has ended is not resumed by itself. */
  watch(): void;
  close(): Promise<void>;
}

const REOPENED_AFTER_MS = 1000;
const FAREWELL_MS = 300;
/** How long the server should wait for a change before an empty answer. */
const WAITS_MS = 1000;
/** A server that answers so often without having waited would be asked all the time. */
const MOST_EMPTY_POLLS = 5;

/** Tells at once when the state of a projection changes, on servers that can. What changed is for others to find out. */
export function changesOf(projections: Collection<StoredProjection>, onChange: () => void): Changes {
  let stream: ChangeStream | null = null;
  let openedAt = -Infinity;
  let isHopeless = false;
  let watching: Promise<void> = Promise.resolve();
  const run = async (opened: ChangeStream): Promise<void> => {
    try {
      await follow(opened, onChange);
    } catch (error) {
      isHopeless ||= !(unavailable(error) instanceof Problem);
    }
    stream = null;
    await opened.close().catch(ignore);
  };
  return {
    watch: () => {
      if (stream !== null || isHopeless || performance.now() - openedAt < REOPENED_AFTER_MS) return;
      openedAt = performance.now();
      stream = projections.watch([{ $project: { _id: 1 } }], { maxAwaitTimeMS: WAITS_MS });
      watching = run(stream);
    },
    close: async () => {
      isHopeless = true;
      const ended = Promise.all([stream?.close().catch(ignore), watching]);
      // Closes the stream on the server, if the server is reachable.
      await Promise.race([ended, sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}

/** Ends with an error only. */
async function follow(stream: ChangeStream, onChange: () => void): Promise<void> {
  let emptyPollsInARow = 0;
  while (emptyPollsInARow < MOST_EMPTY_POLLS) {
    const asked = performance.now();
    if ((await stream.tryNext()) !== null) onChange();
    else emptyPollsInARow = performance.now() - asked < WAITS_MS / 2 ? emptyPollsInARow + 1 : 0;
  }
  throw new Error('The server does not support change streams');
}

const ignore = (): void => undefined;
