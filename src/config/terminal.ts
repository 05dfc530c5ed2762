import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Node restores the settings of its terminal at its end, and aborts if the terminal was closed: it keeps none to restore. */
export function outliveTerminal(): void {
  const given = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on('exit', () => {
    for (const descriptor of given) if (!isatty(descriptor)) closed(descriptor);
  });
}

function closed(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It is closed already.
  }
}
