/** Waits for the read models that ended before these showed a write: its answer must not be contradicted by others. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Position } from '../../core/event-log.js';
import { type ReadModels } from '../../core/read-models.js';

export interface VainWaits {
  /** Whether the read models do not show yet what was waited for. */
  readonly isBehind: () => boolean;
  /** Awaited before the wait resolves. One at most. */
  readonly onVain: (listener: () => Promise<void>) => void;
}

interface WatchedWaits<Waited> {
  readonly readModels: Waited;
  /** For waits without a client: no answer depends on them. */
  readonly unwatched: Waited;
  readonly vainWaits: VainWaits;
}

/** A log that was restored may never get to a position again. */
const REMEMBERED_MS = 3_600_000;
const LOOK_EVERY_MS = 50;

export function watchedWaits<Waited extends Pick<ReadModels, 'caughtUp'>>(
  readModels: Waited,
  signal: AbortSignal,
): WatchedWaits<Waited> {
  const awaited = new Map<string, Position>();
  let listen: () => Promise<void> = () => Promise.resolve();

  const follow = async (projection: string): Promise<void> => {
    let [position, end] = [awaited.get(projection), performance.now() + REMEMBERED_MS];
    while (!signal.aborted && position !== undefined && performance.now() < end) {
      const isShown = await readModels.caughtUp(projection, position, 0);
      const latest = awaited.get(projection);
      if (isShown && latest === position) break;
      if (latest !== position) [position, end] = [latest, performance.now() + REMEMBERED_MS];
      await pause(LOOK_EVERY_MS, undefined, { ref: false });
    }
    awaited.delete(projection);
  };
  const note = (projection: string, position: Position): Promise<void> => {
    const isFollowed = awaited.has(projection);
    if ((awaited.get(projection) ?? '') < position) awaited.set(projection, position);
    if (!isFollowed) void follow(projection);
    return listen();
  };
  return {
    readModels: {
      ...readModels,
      caughtUp: async (projection, position, patienceMs) => {
        const isShown = await readModels.caughtUp(projection, position, patienceMs);
        if (!isShown) await note(projection, position);
        return isShown;
      },
    },
    unwatched: readModels,
    vainWaits: {
      isBehind: () => awaited.size > 0,
      onVain: (listener) => {
        listen = listener;
      },
    },
  };
}
