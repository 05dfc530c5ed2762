/** A process that answers reads. The main process starts it, hands it connections, and ends it. */
import { type Socket } from 'node:net';
import { limitHeapGrowth } from '../../config/heap-growth.js';
import { outliveTerminal } from '../../config/terminal.js';
import { createLogger, sharedOutput } from '../../logging/logger.js';
import { ENDING } from '../shutdown.js';
import { answering, type Answering } from './answering.js';
import { type FromReadingProcess, type Start, type ToReadingProcess } from './messages.js';

/** For the last lines of the log. */
const LINGER_MS = 200;

// Only the service's own user may read its files.
process.umask(0o077);
limitHeapGrowth();
outliveTerminal();
// A supervisor may send them to all processes: the main process ends this one.
for (const signal of [...ENDING, 'SIGUSR1'] as const) process.on(signal, () => undefined);
// Without the main process nothing keeps the data directory. Not by `exit`, which would wait for the threads.
process.once('disconnect', kill);
// It may have ended while this process was loading.
if (!process.connected) kill();

let answers: Promise<Answering> | undefined;

process.on('message', (message: ToReadingProcess, socket: Socket | undefined) => {
  if (message.type === 'start') answers = started(message.start);
  else void answers?.then((answering) => obey(message, answering, socket));
});

async function started(start: Start): Promise<Answering> {
  const logger = createLogger(start.config.logLevel, sharedOutput()).child({ process: `reading-${start.number}` });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'reading process failed');
    logger.flush();
    setTimeout(kill, LINGER_MS);
  });
  const answers = await answering(start, logger);
  say({ type: 'ready' });
  return answers;
}

async function obey(
  message: Exclude<ToReadingProcess, { type: 'start' }>,
  { take, standAside, close }: Answering,
  socket: Socket | undefined,
): Promise<void> {
  switch (message.type) {
    case 'connection':
      // It may be gone by now.
      if (socket !== undefined) take(socket);
      say({ type: 'took', connection: message.connection });
      return;
    case 'stand-aside':
      standAside(message.aside);
      say({ type: 'stands', request: message.request });
      return;
    case 'close':
      await close(message.patienceMs);
      process.off('disconnect', kill);
      process.disconnect();
      setTimeout(() => process.exit(), LINGER_MS);
  }
}

function say(message: FromReadingProcess): void {
  process.send?.(message);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}
