import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type EventLog } from '../../../core/event-log.js';
import { logNotifications } from '../../shared/log-notifications.js';
import { logReader } from './reader.js';
import { logThread, logWriter, type LogWriter } from './writer.js';

export interface SqliteEventLog extends EventLog {
  /** A port for another thread's `sqliteLogReader`, told the end of the log after each commit. */
  notices(): MessagePort;
  /** Appends handed in before are still written. Abort subscriptions first. */
  close(): Promise<void>;
}

/**
 * The log in `log.sqlite` of a directory that exists and that this process has locked. `onFailed` is called when the
 * thread that writes has died: every append is refused from then on, reading goes on.
 */
export async function sqliteEventLog(
  directory: string,
  onFailed: (error: Error) => void = () => undefined,
): Promise<SqliteEventLog> {
  const notifications = logNotifications();
  const writer = await logWriter(logThread(directory), { onAppended: notifications.publish, onFailed });
  const { close, ...reader } = await beside(writer, () => logReader(directory, notifications));
  return {
    ...reader,
    append: writer.append,
    notices: () => {
      const { port1, port2 } = new MessageChannel();
      writer.tell(port1);
      return port2;
    },
    // The connection that can write goes last, so that it tidies the write-ahead log away.
    close: async () => {
      close();
      await writer.close();
    },
  };
}

/** Without a reader the thread that writes is no use, and would keep the process from its end. */
async function beside<Reader>(writer: LogWriter, open: () => Reader): Promise<Reader> {
  try {
    return open();
  } catch (error) {
    await writer.close();
    throw error;
  }
}
