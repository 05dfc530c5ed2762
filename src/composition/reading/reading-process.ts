/** One reading process, as the main process sees it. */
import { fork, type ChildProcess } from 'node:child_process';
import { type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { moduleAt } from '../../stores/shared/thread.js';
import { type FromReadingProcess, type Start, type ToReadingProcess } from './messages.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ReadingProcess {
  readonly pid: number | undefined;
  readonly take: (socket: Socket) => void;
  /** Connections that it has not taken yet. Those that it has taken end with it. If it takes none of them in time, it is killed. */
  readonly untaken: () => readonly Socket[];
  /** Resolves when all later requests do so, or when the process has ended. One that does not answer is killed. */
  readonly standAside: (aside: boolean) => Promise<void>;
  readonly close: (patienceMs: number) => Promise<void>;
  /** Rejects if the process ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ended>;
}

const STANDS_WITHIN_MS = 2000;
/** The next connection. */
const TAKES_WITHIN_MS = 5000;
/** After the patience. */
const ENDS_WITHIN_MS = 1000;

export function readingProcess(start: Start): ReadingProcess {
  const child = fork(fileURLToPath(moduleAt('src/composition/reading/process')), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    // Without a process there is no exit.
    child.on('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
  tell(child, { type: 'start', start });
  let requests = 0;
  return {
    pid: child.pid,
    ended,
    ready: Promise.race([
      said(child, ({ type }) => type === 'ready'),
      ended.then(() => Promise.reject(new Error('The reading process has ended'))),
    ]),
    ...handing(child),
    standAside: async (aside) => {
      requests += 1;
      const request = requests;
      const stands = said(child, (message) => message.type === 'stands' && message.request === request);
      tell(child, { type: 'stand-aside', aside, request });
      await unlessKilled(child, STANDS_WITHIN_MS, Promise.race([stands, ended]));
    },
    close: async (patienceMs) => {
      tell(child, { type: 'close', patienceMs });
      await unlessKilled(child, patienceMs + ENDS_WITHIN_MS, ended);
    },
  };
}

/** Node forgets a socket that is under way to a process that ends, so each stays open here until it is taken. */
function handing(child: ChildProcess): Pick<ReadingProcess, 'take' | 'untaken'> {
  const underWay = new Map<number, Socket>();
  let last = 0;
  let patience: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(patience);
    patience = undefined;
    if (underWay.size === 0) return;
    const timer = setTimeout(() => {
      // If the main process stood still, what the other one has said meanwhile is received first.
      setImmediate(() => {
        if (patience === timer) child.kill('SIGKILL');
      });
    }, TAKES_WITHIN_MS);
    patience = timer;
  };
  child.on('message', (message: FromReadingProcess) => {
    if (message.type !== 'took') return;
    underWay.get(message.connection)?.destroy();
    underWay.delete(message.connection);
    watch();
  });
  return {
    take: (socket) => {
      last += 1;
      underWay.set(last, socket);
      if (underWay.size === 1) watch();
      const message: ToReadingProcess = { type: 'connection', connection: last };
      child.send(message, socket, { keepOpen: true }, () => undefined);
    },
    untaken: () => {
      const untaken = [...underWay.values()];
      underWay.clear();
      watch();
      return untaken;
    },
  };
}

/** One that has ended gets nothing. */
function tell(child: ChildProcess, message: ToReadingProcess): void {
  if (child.connected) child.send(message, () => undefined);
}

function said(child: ChildProcess, isMeant: (message: FromReadingProcess) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const receive = (message: unknown): void => {
      if (!isMeant(message as FromReadingProcess)) return;
      child.off('message', receive);
      resolve();
    };
    child.on('message', receive);
  });
}

async function unlessKilled(child: ChildProcess, patienceMs: number, work: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await work;
  clearTimeout(timer);
}
