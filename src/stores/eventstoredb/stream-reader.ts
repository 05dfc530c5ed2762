import { type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { condition, type Condition } from '../../core/concurrency/condition.js';
import { type Resolved } from './codec.js';
import { IdleTimeout, TransientError } from './errors.js';
import { type StoreContext } from './retry.js';

/** What the server sends in answer to a reading or a subscription, taken piece by piece, so that it waits for us. */
export interface StreamReader {
  /** The next one, or null at the end. Rejects with IdleTimeout when nothing, no sign of life either, comes for so long. */
  readonly next: (silenceMs: number) => Promise<Resolved | null>;
  /** The next one if it is here, or as good as. */
  readonly ready: () => Promise<Resolved | null>;
  /** A sign of life has come. */
  readonly alive: () => void;
  /**
   * Cancels the call, at once or after so many milliseconds without its end: a cancellation costs more than an end.
   * Safe at any time, and has to be called at some time.
   */
  readonly stop: (endsWithinMs?: number) => void;
}

export type Source = Readable & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

/** How many events may wait in each of the stages between the socket and us. */
export const BUFFER = { highWaterMark: 32 };

interface State {
  failure: Error | undefined;
  ended: boolean;
  stopped: boolean;
  lastSign: number;
  signs: number;
  readonly changed: Condition;
}

/** Fails once one of the signals aborts. */
export function streamReader(source: Source, ...signals: readonly AbortSignal[]): StreamReader {
  const changed = condition();
  const state: State = { failure: undefined, ended: false, stopped: false, lastSign: 0, signs: 0, changed };
  const wake = () => {
    state.signs += 1;
    changed.notify();
  };
  const alive = () => {
    state.lastSign = performance.now();
    wake();
  };
  const fail = (error: Error) => {
    state.failure ??= error;
    wake();
  };
  const stop = (endsWithinMs = 0) => {
    if (state.stopped) return;
    state.stopped = true;
    for (const signal of signals) signal.removeEventListener('abort', abort);
    if (!state.ended) cancel(source, endsWithinMs);
    // Left unread, the client would count the reading as one that goes on.
    source.off('readable', alive);
    source.resume();
  };
  const abort = () => {
    const reasons = signals.map(({ reason }) => reason as unknown);
    fail(reasons.find((reason) => reason instanceof TransientError) ?? new TransientError('The reading was aborted'));
    stop();
  };

  source.on('readable', alive);
  source.on('end', () => {
    state.ended = true;
    wake();
  });
  // Stays for ever: ignores errors after the reading has ended.
  source.on('error', fail);
  source.on('close', () => {
    if (!state.ended) fail(new TransientError('The reading was cut off'));
  });
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();

  return { ...takers(source, state), alive, stop };
}

function takers(source: Source, state: State): Pick<StreamReader, 'next' | 'ready'> {
  const take = () => (state.stopped ? null : (source.read() as Resolved | null));
  return {
    next: async (silenceMs) => {
      state.lastSign = performance.now();
      for (;;) {
        const item = take();
        if (item !== null) return item;
        if (state.failure !== undefined) throw state.failure;
        if (state.ended) return null;
        const left = state.lastSign + silenceMs - performance.now();
        if (left <= 0) throw new IdleTimeout(`EventStoreDB has sent nothing for ${silenceMs} ms`);
        const { signs } = state;
        await state.changed.until(() => state.signs !== signs, { patienceMs: left });
      }
    },
    ready: async () => {
      const item = take();
      if (item !== null) return item;
      await setImmediate();
      return take();
    },
  };
}

function cancel(source: Source, afterMs: number): void {
  const now = (): void => {
    ('cancel' in source ? source.cancel() : source.unsubscribe()).catch(() => undefined);
  };
  if (afterMs === 0) {
    now();
    return;
  }
  const timer = setTimeout(now, afterMs).unref();
  source.once('end', () => {
    clearTimeout(timer);
  });
}

export interface Reading {
  readonly open: (client: EventStoreDBClient) => Source;
  /** Takes one after the other until enough was taken, or too much: then the server still has some to send. */
  readonly take: (item: Resolved) => 'more' | 'enough' | 'last';
}

/** Reads until enough was taken, or to the end. */
export async function each(
  { connections, timing, closing }: StoreContext,
  { open, take }: Reading,
  answerMs = timing.call,
): Promise<void> {
  const { client, lost } = connections.current();
  const source = streamReader(open(client), closing, lost);
  try {
    for (let item = await source.next(answerMs); item !== null; item = await source.next(answerMs)) {
      const taken = take(item);
      if (taken === 'last') source.stop(timing.call);
      if (taken !== 'more') return;
    }
  } finally {
    source.stop();
  }
}
