import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Whatever nothing holds any longer is gone then. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await turn();
  (runInNewContext('gc') as () => void)();
}
