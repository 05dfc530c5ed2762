/** The projections' thread as the service sees it. */
import { once } from 'node:events';
import { type Worker } from 'node:worker_threads';
import { PROJECTIONS_THREAD, startThread } from '../../src/stores/shared/thread.js';
import { type Disposables } from '../../src/core/concurrency/disposables.js';
import { all } from '../all.js';
import { type Notice } from '../engine/projector-reports.js';
import { type Projections } from '../engine/projections.js';
import { type RebuildProgress } from '../engine/filling/filling.js';
import { type FromThread, type ThreadData, type ToThread } from './messages.js';

export interface ThreadOptions extends ThreadData {
  readonly onNotice: (notice: Notice) => void;
}

export interface LoadingThread {
  readonly worker: Worker;
  readonly exited: Promise<unknown>;
}

export interface ProjectionsThread extends Projections {
  /** Ends a pause of those that follow the log. */
  readonly goOn: () => void;
}

interface Request {
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly resolve: (answer: never) => void;
}

/**
 * Loads the program of the projections. The thread begins with `projectionsThread`. `onFailed`: it has died, and nothing
 * updates the read models any longer.
 */
export function loadingThread(onFailed: (error: Error) => void, opened: Disposables): LoadingThread {
  const worker = startThread(PROJECTIONS_THREAD);
  worker.on('error', onFailed);
  opened.add(async () => {
    await worker.terminate();
  });
  return { worker, exited: once(worker, 'exit').catch(() => undefined) };
}

export function projectionsThread(
  { worker, exited }: LoadingThread,
  { onNotice, ...data }: ThreadOptions,
): ProjectionsThread {
  worker.postMessage(data, [data.notices]);
  const requests = new Map<number, Request>();
  let asked = 0;
  const ready = new Promise<void>((markReady) => {
    const receive = receiving(requests, { onNotice, markReady });
    worker.on('message', (messages: readonly FromThread[]) => {
      messages.forEach(receive);
    });
  });
  const tell = (message: ToThread): void => {
    worker.postMessage(message);
  };
  const ask = <Answer>(message: (request: number) => ToThread, onProgress: Request['onProgress']): Promise<Answer> =>
    new Promise<Answer>((resolve) => {
      asked += 1;
      requests.set(asked, { onProgress, resolve });
      tell(message(asked));
    });

  return {
    names: all.map(({ name }) => name),
    ready,
    status: () => ask((request) => ({ type: 'status', request }), ignore),
    rebuild: (projection, onProgress, together) =>
      ask((request) => ({ type: 'rebuild', request, projection, together }), onProgress),
    goOn: () => {
      tell({ type: 'go-on' });
    },
    close: async () => {
      tell({ type: 'stop' });
      await exited;
    },
  };
}

interface Listeners {
  readonly onNotice: ThreadOptions['onNotice'];
  readonly markReady: () => void;
}

const receiving =
  (requests: Map<number, Request>, { onNotice, markReady }: Listeners) =>
  (message: FromThread): void => {
    switch (message.type) {
      case 'notice':
        onNotice(message.notice);
        return;
      case 'ready':
        markReady();
        return;
      case 'progress':
        requests.get(message.request)?.onProgress(message.progress);
        return;
      case 'answer':
        requests.get(message.request)?.resolve(message.answer as never);
        requests.delete(message.request);
    }
  };

const ignore = (): void => undefined;
