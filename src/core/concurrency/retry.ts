import { setTimeout } from 'node:timers/promises';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** Told of each failure before the pause that follows it. */
export type OnTrouble = (error: unknown, pauseMs: number) => void;

/** An error that another try would only repeat. */
export class Final extends Error {
  override readonly name: string = 'Final';
}

/**
 * Does the work until it succeeds, with growing pauses; `progressed` makes the next pause a short one again. Throws
 * what is final, and the signal's reason once it aborts.
 */
export async function retrying<T>(
  work: (progressed: () => void) => Promise<T>,
  signal: AbortSignal,
  onTrouble: OnTrouble,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work(() => {
        pause = FIRST_PAUSE_MS;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Final) throw error;
      onTrouble(error, pause);
    }
    await setTimeout(pause, undefined, { signal });
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
