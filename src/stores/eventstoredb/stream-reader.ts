import { type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { condition, type Condition } from '../../core/concurrency/condition.js';
import { TransientError, IdleTimeout } from './errors.js';
import { type Resolved } from './codec.js';

/** What the server sends in answer to a reading or a subscription, taken piece by piece, so that it waits for us. */
export interface StreamReader {
  /** The next one, or null at the end. Rejects with IdleTimeout when nothing, no sign of life either, comes for so long. */
  readonly next: (silenceMs: number) => Promise<Resolved | null>;
  /** The next one if it is here, or as good as. */
  readonly ready: () => Promise<Resolved | null>;
  /** A sign of life has come. */
  readonly alive: () => void;
  /** Tells the server to stop. Safe at any time, and has to be called at some time. */
  readonly stop: () => void;
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
  const state: State = {
    failure: undefined,
    ended: false,
    stopped: false,
    lastSign: 0,
    signs: 0,
    changed: condition(),
  };
  const wake = () => {
    state.signs += 1;
    state.changed.notify();
  };
  const alive = () => {
    state.lastSign = performance.now();
    wake();
  };
  const fail = (error: Error) => {
    state.failure ??= error;
    wake();
  };
  const stop = () => {
    if (state.stopped) return;
    state.stopped = true;
    for (const signal of signals) signal.removeEventListener('abort', abort);
    cancelled(source).catch(() => undefined);
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
  // Stays for ever: an error that comes after the reading was given up is nobody's concern.
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

async function cancelled(source: Source): Promise<void> {
  await ('cancel' in source ? source.cancel() : source.unsubscribe());
}
