/** Starts a process again when it has ended. */
import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** After so long, an end is not one of a series. */
const STEADY_MS = 60_000;

/** Resolves after the signal. `onEnded` gets how the process has ended, and the pause before the next one. */
export async function keepRunning<T>(
  runOnce: () => Promise<T>,
  onEnded: (how: T, pauseMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const began = performance.now();
    const how = await runOnce();
    if (performance.now() - began > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
    await pausedAfter(how, pauseMs, onEnded, signal);
  }
}

async function pausedAfter<T>(
  how: T,
  pauseMs: number,
  onEnded: (how: T, pauseMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  onEnded(how, pauseMs);
  await pause(pauseMs, undefined, { signal }).catch(() => undefined);
}
