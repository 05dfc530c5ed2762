/** Clients that write while something else is measured. */
import { setTimeout } from 'node:timers/promises';
import { sent } from './clients.js';
import { FIRST_ID } from './platform.js';
import { type RunningService, type Stage } from './stage.js';
import { sentence } from './words.js';

export interface Writers {
  readonly count: number;
  /** Of each, after an answer. */
  readonly pauseMs: number;
}

/** They change artifacts of the first tracker all over it, and add some, until the work is done. */
export async function besideWriters<T>(
  stage: Stage,
  service: RunningService,
  { count, pauseMs }: Writers,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly writes: number }> {
  const writing = new AbortController();
  const { signal } = writing;
  const writers = Promise.all(
    Array.from({ length: count }, (_, nth) => write(stage, service, { nth, pauseMs, signal })),
  );
  // One that fails is told once the work is over.
  writers.catch(() => undefined);
  try {
    const result = await work();
    writing.abort();
    const writes = await writers;
    return { result, writes: writes.reduce((sum, each) => sum + each, 0) };
  } finally {
    writing.abort();
  }
}

interface Writer {
  readonly nth: number;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

/** How many writes it made. */
async function write(
  { seeded: { tracker, fields, inTracker } }: Stage,
  { url, headers }: RunningService,
  { nth, pauseMs, signal }: Writer,
): Promise<number> {
  let writes = 0;
  for (; !signal.aborted; writes += 1) {
    const values = [{ field_id: fields['title'], value: sentence(writes, 7) }];
    const isNew = writes % 2 === 0;
    // The even ones are in the first tracker.
    const id = FIRST_ID + 1 + 2 * ((nth * 7919 + writes * 104_729) % (inTracker / 2));
    const body = JSON.stringify(isNew ? { tracker: { id: tracker }, values } : { values });
    await sent(`${url}/api/artifacts${isNew ? '' : `/${id}`}`, isNew ? 'POST' : 'PUT', headers, body);
    if (pauseMs > 0) await setTimeout(pauseMs);
  }
  return writes;
}
