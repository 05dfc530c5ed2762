/** Starts a process again when it has ended. */
import { passes } from '../../core/concurrency/pause.js';
import { pauseAfter } from '../../core/concurrency/retry.js';

const PAUSES = { firstPauseMs: 100, longestPauseMs: 30_000 };
/** After so long, an end is not one of a series. */
const STEADY_MS = 60_000;

/** Resolves after the signal. `onEnded` gets how the process has ended, and the pause before the next one. */
export async function keepRunning<T>(
  runOnce: () => Promise<T>,
  onEnded: (how: T, pauseMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let ends = 1; ; ends += 1) {
    const began = performance.now();
    const how = await runOnce();
    if (signal.aborted) return;
    if (performance.now() - began > STEADY_MS) ends = 1;
    const pauseMs = pauseAfter(ends, PAUSES);
    onEnded(how, pauseMs);
    if (!(await passes(pauseMs, signal))) return;
  }
}
