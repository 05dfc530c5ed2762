/** A signal ends an application without a service between two changes. Other commands end with their process. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDING } from '../composition/shutdown.js';
import { type ControlCommands } from '../operations/control-protocol.js';
import { type Operations } from '../operations/operations.js';

/** For the change that is under way. */
const PATIENCE_MS = 5000;

export const stoppable = (commands: Operations): ControlCommands => ({ ...commands, apply: stoppableApply(commands) });

function stoppableApply({ apply }: Operations): Operations['apply'] {
  return async (input, report, ended) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const stop = (): void => {
      stopping.abort(new Error('Stopped'));
    };
    // Not once: a terminal and npm both send one.
    for (const name of ENDING) process.on(name, stop);
    try {
      const either = ended === undefined ? signal : AbortSignal.any([ended, signal]);
      return await Promise.race([apply(input, report, either), late(signal)]);
    } finally {
      for (const name of ENDING) process.off(name, stop);
    }
  };
}

/** Throws what the signal aborts with, once the change has had its time. */
async function late(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw signal.reason;
}
