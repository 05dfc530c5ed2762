/** The other client: asks the service for next to nothing, again and again, and notes how long it had to wait. */
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

export interface WatchInput {
  readonly url: string;
}

/** Milliseconds since 1970 at which the request was sent, and how long its answer took. */
export type Wait = readonly [at: number, ms: number];

const EVERY_MS = 2;
/** Shorter ones say nothing. */
const NOTED_MS = 1;

/** Ends when the service does. */
export async function watch({ url }: WatchInput, say: (message: unknown) => void): Promise<readonly Wait[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waits: Wait[] = [];
  await answered(url, agent);
  say('watching');
  for (;;) {
    const at = performance.timeOrigin + performance.now();
    const began = performance.now();
    const outcome = await answered(url, agent).catch((error: unknown) => error);
    if (isGone(outcome)) return waits;
    const ms = performance.now() - began;
    if (ms >= NOTED_MS) waits.push([at, ms]);
    await setTimeout(EVERY_MS);
  }
}

/** A connection that is reset because the service was too slow is a wait like any other. */
const isGone = (outcome: unknown): boolean =>
  outcome instanceof Error && 'code' in outcome && outcome.code === 'ECONNREFUSED';

function answered(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.once('end', resolve);
      response.once('error', reject);
    }).once('error', reject);
  });
}
