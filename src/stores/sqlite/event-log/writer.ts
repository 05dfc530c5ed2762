import { once } from 'node:events';
import { type MessagePort, type Worker } from 'node:worker_threads';
import {
  type Appended,
  type EventLog,
  type Position,
  type Revision,
  RevisionConflict,
} from '../../../core/event-log.js';
import { Problem } from '../../../core/problem.js';
import { jsonOf } from '../../shared/event-json.js';
import { LOG_THREAD, startThread } from '../../shared/thread.js';

/** An append on its way to the thread that writes, with its JSON made. */
export interface PreparedAppend {
  readonly stream: string;
  readonly expected: Revision;
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: string }[];
  readonly metadata: string;
}

/** The first message to the thread. */
export interface Opening {
  readonly directory: string;
}

export type Order =
  | { readonly type: 'append'; readonly appends: readonly PreparedAppend[] }
  /** Tell this port the end of the log after each commit. */
  | { readonly type: 'tell'; readonly port: MessagePort }
  | { readonly type: 'close' };

export type Outcome = Appended | { readonly actual: Revision };

export type Report =
  /** The log is open. */
  | { readonly type: 'ready' }
  /** One outcome per append, in their order. `end` is null when the group wrote nothing. */
  | { readonly type: 'settled'; readonly outcomes: readonly Outcome[]; readonly end: Position | null }
  /** Nothing of the group is stored. */
  | { readonly type: 'refused'; readonly message: string; readonly passing: boolean };

export interface LogWriter {
  readonly append: EventLog['append'];
  /** From now on, the port receives the end of the log after each commit. */
  tell(port: MessagePort): void;
  /** What was handed in before is still written. */
  readonly close: () => Promise<void>;
}

export interface LogWriterListeners {
  readonly onAppended: (end: Position) => void;
  /** The thread has died: no append will succeed any more. */
  readonly onFailed: (error: Error) => void;
}

interface Pending {
  readonly append: PreparedAppend;
  readonly size: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
}

const GROUP_APPENDS = 512;
const GROUP_CHARACTERS = 4 * 1024 * 1024;
const RETRY_AFTER = 5;

export function logThread(directory: string): Worker {
  const thread = startThread(LOG_THREAD);
  thread.postMessage({ directory } satisfies Opening);
  return thread;
}

/** Resolves once the thread has opened the log, rejects with what hinders it. */
export async function logWriter(thread: Worker, listeners: LogWriterListeners): Promise<LogWriter> {
  await once(thread, 'message');
  const queue = appendQueue(thread, listeners);
  return {
    append: async (stream, expected, events, metadata) => {
      if (events.length === 0) throw new Error(`An append to ${stream} without events`);
      return queue.add({
        stream,
        expected,
        events: events.map(({ id, type, data }) => ({ id, type, data: jsonOf(data) })),
        metadata: jsonOf(metadata),
      });
    },
    tell: (port) => {
      thread.postMessage({ type: 'tell', port } satisfies Order, [port]);
    },
    close: queue.close,
  };
}

interface AppendQueue {
  readonly add: (append: PreparedAppend) => Promise<Appended>;
  readonly close: () => Promise<void>;
}

/**
 * Sends appends to the thread, one group at a time. Appends that arrive meanwhile form the next group, so one sync of
 * the disk serves all.
 */
function appendQueue(thread: Worker, { onAppended, onFailed }: LogWriterListeners): AppendQueue {
  const queue: Pending[] = [];
  let inFlight: readonly Pending[] = [];
  let refusal: Problem | undefined;
  let closing = false;

  const sendNext = () => {
    if (inFlight.length > 0) return;
    inFlight = takeGroup(queue);
    if (inFlight.length > 0) send(thread, { type: 'append', appends: inFlight.map(({ append }) => append) });
    else if (closing) send(thread, { type: 'close' });
  };
  const ended = whenEnded(thread, (cause) => {
    if (closing && cause === undefined) return;
    refusal = new Problem('unavailable', 'The event log takes no more events until the service is started again');
    for (const { reject } of [...inFlight, ...queue.splice(0)]) reject(refusal);
    inFlight = [];
    onFailed(cause ?? new Error('The thread that writes the event log has ended'));
  });

  thread.on('message', (report: Report) => {
    const group = inFlight;
    inFlight = [];
    if (report.type === 'settled' && report.end !== null) onAppended(report.end);
    settle(group, report);
    sendNext();
  });

  return {
    add: (append) =>
      new Promise((resolve, reject) => {
        if (refusal !== undefined) {
          reject(refusal);
          return;
        }
        queue.push({ append, size: sizeOf(append), resolve, reject });
        sendNext();
      }),
    close: () => {
      closing = true;
      refusal ??= new Problem('unavailable', 'The event log is closed');
      sendNext();
      return ended;
    },
  };
}

function send(thread: Worker, order: Order): void {
  thread.postMessage(order);
}

/** Resolves when the thread is gone, after `gone` has been told of the error that ended it, if one did. */
function whenEnded(thread: Worker, gone: (cause?: Error) => void): Promise<void> {
  let cause: Error | undefined;
  thread.on('error', (error) => (cause = error));
  return new Promise((resolve) => {
    thread.once('exit', () => {
      gone(cause);
      resolve();
    });
  });
}

function takeGroup(queue: Pending[]): readonly Pending[] {
  let characters = 0;
  const beyond = queue.findIndex(({ size }, index) => {
    characters += size;
    return index > 0 && (index >= GROUP_APPENDS || characters > GROUP_CHARACTERS);
  });
  return queue.splice(0, beyond === -1 ? queue.length : beyond);
}

function settle(group: readonly Pending[], report: Report): void {
  for (const [index, { append, resolve, reject }] of group.entries()) {
    const outcome = report.type === 'settled' ? report.outcomes[index] : undefined;
    if (outcome === undefined) reject(refusalFrom(report));
    else if ('actual' in outcome) {
      reject(new RevisionConflict(append.stream as `${string}-${string}`, append.expected, outcome.actual));
    } else resolve(outcome);
  }
}

function refusalFrom(report: Report): Error {
  if (report.type !== 'refused') return new Error('The thread that writes the event log gave no outcome');
  if (report.passing) return new Problem('unavailable', report.message, { retryAfter: RETRY_AFTER });
  return new Error(report.message);
}

function sizeOf({ events, metadata }: PreparedAppend): number {
  return events.reduce((size, { data }) => size + data.length + metadata.length, 0);
}
