import { setTimeout } from 'node:timers/promises';

/** False once the signal aborts, which cuts the pause short. */
export function passes(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return setTimeout(milliseconds, true, { signal }).catch(() => false);
}
