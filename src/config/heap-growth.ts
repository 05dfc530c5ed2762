/** What this process allows V8 to keep beside what is in use. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 collects old garbage once the heap has doubled since the last time. On a machine with much memory, it would wait
 * until it has quadrupled: a gigabyte, of which 250 MB are in use.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
