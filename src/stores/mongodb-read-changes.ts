import { type ChangeStream, type Collection } from 'mongodb';
import { Problem } from '../core/problem.js';
import { type StoredProjection } from './mongodb-projections.js';
import { unavailable } from './mongodb.js';

export interface Changes {
  /** Starts watching where that is not done. To be called now and then: a stream that an outage has ended is not resumed by itself. */
  watch(): void;
  close(): Promise<void>;
}

const REOPENED_AFTER_MS = 1000;

/** Tells at once when the state of a projection changes, on servers that can. What changed is for others to find out. */
export function changesOf(projections: Collection<StoredProjection>, onChange: () => void): Changes {
  let stream: ChangeStream | null = null;
  let openedAt = -Infinity;
  let isHopeless = false;
  const end = async (): Promise<void> => {
    const ended = stream;
    stream = null;
    await ended?.close().catch(ignore);
  };
  return {
    watch: () => {
      if (stream !== null || isHopeless || performance.now() - openedAt < REOPENED_AFTER_MS) return;
      openedAt = performance.now();
      stream = projections.watch([{ $project: { _id: 1 } }]);
      stream.on('change', onChange);
      stream.on('error', (error) => {
        isHopeless = !(unavailable(error) instanceof Problem);
        void end();
      });
    },
    close: async () => {
      isHopeless = true;
      await end();
    },
  };
}

const ignore = (): void => undefined;
