import { readFileSync } from 'node:fs';
import { type Config } from './config.js';
import { type Clock } from '../core/clock.js';
import { codeOf } from '../core/concurrency/retry.js';

/** The machine's time; in tests ahead of it by the seconds that the file holds at that moment. */
export function systemClock({ testClockOffsetFile }: Pick<Config, 'testClockOffsetFile'>): Clock {
  if (testClockOffsetFile === undefined) return () => new Date();
  return () => new Date(Date.now() + 1000 * offset(testClockOffsetFile));
}

function offset(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
