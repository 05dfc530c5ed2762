/** No command waits in silence, and none waits for ever. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How what is waited for is doing. */
export interface Outlook {
  /** What is missing right now, in words. */
  readonly words: string;
  /** Each changes whenever its part comes nearer to the end. */
  readonly signs: readonly string[];
  /** Whether the command itself shows how far it is. */
  readonly isShown?: boolean;
}

export interface Waiting {
  /** A clause: what holds at the end. */
  readonly until: string;
  readonly look: () => Outlook | Promise<Outlook>;
  readonly say: (line: string) => void;
  /** A sentence: what may still happen to the work once its end is no longer waited for. */
  readonly afterwards?: string | undefined;
}

/** In milliseconds. */
export interface WaitingTiming {
  readonly lookEvery: number;
  readonly firstWord: number;
  readonly wordEvery: number;
  /** Without a change of some sign for so long, there is no end in sight. */
  readonly giveUp: number;
}

export const WAITING_TIMING: WaitingTiming = { lookEvery: 500, firstWord: 5000, wordEvery: 15_000, giveUp: 60_000 };

/** The result of the work. Says now and then what the work waits for, and throws once nothing moves any more. */
export async function bounded<T>(work: Promise<T>, waiting: Waiting, timing = WAITING_TIMING): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([work, watched(waiting, timing, over.signal)]);
  } finally {
    over.abort();
  }
}

async function watched(waiting: Waiting, timing: WaitingTiming, over: AbortSignal): Promise<never> {
  const { until, look, say } = waiting;
  const began = performance.now();
  const seen = new Map<string, number>();
  let saidAt = began + timing.firstWord - timing.wordEvery;
  let known: Outlook = { words: '', signs: [] };
  for (;;) {
    await sleep(timing.lookEvery, undefined, { signal: over });
    known = await lookedAt(look, known);
    const stillness = performance.now() - since(seen, known.signs, began);
    const details = known.words === '' ? '' : `: ${known.words}`;
    if (stillness > timing.giveUp) throw noProgress(waiting, timing, details);
    const isShown = known.isShown === true && stillness < timing.firstWord;
    if (isShown || performance.now() - saidAt < timing.wordEvery) continue;
    saidAt = performance.now();
    if (!over.aborted) say(`Waiting until ${until}${details}`);
  }
}

function noProgress({ until, afterwards }: Waiting, { giveUp }: WaitingTiming, details: string): Error {
  const rest = afterwards === undefined ? '' : `. ${afterwards}`;
  return new Error(`No progress for ${giveUp / 1000} s while waiting until ${until}${details}${rest}`);
}

const LOOK_PATIENCE_MS = 2000;

/** What does not answer does not move, as far as a reader can tell. */
async function lookedAt(look: Waiting['look'], before: Outlook): Promise<Outlook> {
  try {
    return await Promise.race([look(), sleep(LOOK_PATIENCE_MS, before, { ref: false })]);
  } catch {
    return before;
  }
}

/** Since when the sign is there that has been there longest. */
function since(seen: Map<string, number>, signs: readonly string[], began: number): number {
  const now = performance.now();
  if (signs.length === 0) return began;
  for (const sign of signs) if (!seen.has(sign)) seen.set(sign, seen.size === 0 ? began : now);
  return Math.min(...signs.map((sign) => seen.get(sign) ?? now));
}
