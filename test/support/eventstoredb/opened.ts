import { type Timing } from '../../../src/stores/eventstoredb/retry.js';
import {
  type EventStoreDbLog,
  eventStoreDbLog,
  type EventStoreDbOptions,
} from '../../../src/stores/eventstoredb/event-log.js';
import { type Double, type DoubleOptions, eventStoreDouble } from './double.js';
import { type Placing } from './double-log.js';

export const PREFIX = 'ledger.';

/** So short that what gives up in production after seconds does so within a spec. */
export const SHORT: Timing = { call: 200, patience: 3000, silence: 200, firstPause: 5, longestPause: 50, coolDown: 30 };

/** As long as a busy machine may take: no call is repeated for that. */
export const PATIENT: Timing = { ...SHORT, call: 5000, patience: 10_000, silence: 5000 };

/** So far along that no number but a bigint tells one position from the next. */
export const FAR: Placing = { start: 2n ** 62n + 12_345n, commitsApart: true };

export interface OnDouble {
  readonly double: Double;
  readonly log: EventStoreDbLog;
  /** What the log has told of what failed. */
  readonly errors: unknown[];
  /** How long it has waited after each, in milliseconds. */
  readonly pauses: number[];
  readonly close: () => Promise<void>;
}

export async function onDouble(
  options: Partial<EventStoreDbOptions> = {},
  doubleOptions: DoubleOptions = {},
): Promise<OnDouble> {
  const double = await eventStoreDouble(doubleOptions);
  const errors: unknown[] = [];
  const pauses: number[] = [];
  const log = await eventStoreDbLog({
    connectionString: double.connectionString,
    prefix: PREFIX,
    timing: SHORT,
    onRetry: (error, pauseMs) => {
      errors.push(error);
      pauses.push(pauseMs);
    },
    ...options,
  });
  return {
    double,
    log,
    errors,
    pauses,
    close: async () => {
      await log.close();
      double.stop();
    },
  };
}

/** Gives the fault for the first calls only. */
export function first<F>(times: number, fault: F): () => F | undefined {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? fault : undefined;
  };
}

/** Resolves once the log keeps nothing open on the server. */
export async function letGo({ double }: OnDouble): Promise<void> {
  for (let looks = 0; double.tally.open > 0; looks += 1) {
    if (looks === 500) throw new Error(`${double.tally.open} readings are still open`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
