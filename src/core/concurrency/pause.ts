import { setTimeout } from 'node:timers/promises';

/** False once the signal aborts, which cuts the pause short. */
export function passes(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return setTimeout(milliseconds, true, { signal }).catch(() => false);
}

/** Rejects when the time is over or a signal aborts. The work goes on then, and its end is of no account. */
export async function within<T>(milliseconds: number, work: Promise<T>, ...until: AbortSignal[]): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...until]);
  const late = setTimeout(milliseconds, undefined, { signal, ref: false }).then(() => {
    throw new Error(`no end within ${milliseconds / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
