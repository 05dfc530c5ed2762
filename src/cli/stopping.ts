/** A signal ends an application without a service between two changes, and closes the stores of a rebuild. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDING } from '../composition/shutdown.js';
import { type ControlCommand } from '../operations/control-protocol.js';

/** How long a signal leaves a command for the change that is under way. Other commands end with their process. */
const PATIENCE_MS: Readonly<Record<string, number>> = { apply: 5000, rebuild: 0 };

export function stoppable(name: string, command: ControlCommand): ControlCommand {
  const patienceMs = PATIENCE_MS[name];
  if (patienceMs === undefined) return command;
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
      return await Promise.race([command(input, report, either), late(signal, patienceMs)]);
    } finally {
      // Once stopped, the stores are closed: a second signal does not cut that short.
      if (!signal.aborted) for (const name of ENDING) process.off(name, stop);
    }
  };
}

/** Throws what the signal aborts with, once the change has had its time. */
async function late(signal: AbortSignal, patienceMs: number): Promise<never> {
  await once(signal, 'abort');
  await sleep(patienceMs, undefined, { ref: false });
  throw signal.reason;
}
