/** The thread of the projections: the only writer of the read models. */
import { parentPort, type MessagePort } from 'node:worker_threads';
import { eventTypes } from '../event-types.js';
import { sqliteLogReader } from '../../src/stores/sqlite/event-log/reader.js';
import { sqliteReadModelStore } from '../../src/stores/sqlite/read-models/writer.js';
import { all } from '../all.js';
import { type RebuildProgress } from '../engine/filling/filling.js';
import { runProjections } from '../engine/projection-runner.js';
import { sharedReader } from './shared-reader.js';
import { type FromThread, type ThreadData, type ToThread } from './messages.js';
import { messageBatch } from './message-batch.js';

if (parentPort === null) throw new Error('The projections run in a thread of the service');
const port = parentPort;
port.once('message', (data: ThreadData) => {
  const obey = follow(data, port);
  port.on('message', (message: ToThread) => {
    void obey(message);
  });
});

/** Returns what carries out an order of the service. */
function follow(data: ThreadData, port: MessagePort): (message: ToThread) => Promise<void> {
  const { directory, readModels, changes, notices, unhurried } = data;
  const log = sqliteLogReader(directory, notices, unhurried);
  const store = sqliteReadModelStore(readModels, { changes });
  const stopping = new AbortController();
  const { add: tell, flush } = messageBatch((messages: readonly FromThread[]) => {
    port.postMessage(messages);
  });
  const runner = runProjections({
    projections: all,
    log: sharedReader(log, all, eventTypes),
    eventTypes,
    store,
    // Compared before the thread began, and the directory is locked.
    isOwnLog: () => Promise.resolve(true),
    report: (notice) => {
      tell({ type: 'notice', notice });
    },
    signal: stopping.signal,
  });
  void runner.ready.then(() => {
    tell({ type: 'ready' });
  });

  return async (message) => {
    switch (message.type) {
      case 'status':
        tell({ type: 'answer', request: message.request, answer: runner.status() });
        return;
      case 'rebuild': {
        const { request, projection, together } = message;
        const onProgress = (progress: RebuildProgress): void => {
          tell({ type: 'progress', request, progress });
        };
        const answer = await runner.rebuild(projection, onProgress, together);
        tell({ type: 'answer', request, answer });
        return;
      }
      case 'go-on':
        log.goOn();
        return;
      case 'stop':
        stopping.abort();
        await runner.finished;
        log.close();
        store.close();
        notices.close();
        flush();
        port.close();
    }
  };
}
