import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TRIES = 100;
const PAUSE_MS = 50;

/** Whatever nothing holds any longer is gone then. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await turn();
  (runInNewContext('gc') as () => void)();
}

/**
 * The bytes of a kind that are held beyond `before`, once they are below `most`, or in the end.
 * One collection may come before a socket or a compressor has ended.
 */
export async function heldBeyond(before: number, kind: 'arrayBuffers' | 'heapUsed', most: number): Promise<number> {
  for (let left = TRIES; ; left -= 1) {
    await collectGarbage();
    const held = process.memoryUsage()[kind] - before;
    if (held < most || left === 0) return held;
    await pause(PAUSE_MS);
  }
}

/** Whether something else holds it, in the end. */
export async function isHeld(one: WeakRef<object>): Promise<boolean> {
  for (let left = TRIES; left > 0; left -= 1) {
    await collectGarbage();
    if (one.deref() === undefined) return false;
    await pause(PAUSE_MS);
  }
  return true;
}
