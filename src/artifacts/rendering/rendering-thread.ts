/** The thread that renders, as the service sees it. It is started when the first text comes, and after a crash anew. */
import { type Worker } from 'node:worker_threads';
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { escapeHtml } from './escape-html.js';

interface Rendered {
  readonly html: string;
  /** False where the thread has ended over the text, or did not start: it is escaped, this once. */
  readonly isLasting: boolean;
}

export interface RenderingThread {
  /** One text at a time. */
  render(value: TextValue): Promise<Rendered>;
  close(): Promise<void>;
}

/** Far longer than the costliest text takes. */
const PATIENCE_MS = 30_000;

export function renderingThread(
  start: () => Worker,
  onFailed: (error: Error) => void,
  patienceMs = PATIENCE_MS,
): RenderingThread {
  let thread: Worker | undefined;
  const started = (): Worker => {
    const worker = start();
    worker.unref();
    worker.on('error', onFailed);
    worker.once('exit', () => {
      thread = undefined;
    });
    return worker;
  };

  return {
    async render(value) {
      try {
        thread ??= started();
      } catch (error) {
        onFailed(error instanceof Error ? error : new Error(String(error)));
        return escapedOnce(value);
      }
      return renderedIn(thread, value, patienceMs);
    },
    close: async () => {
      await thread?.terminate();
    },
  };
}

const escapedOnce = ({ text }: TextValue): Rendered => ({ html: escapeHtml(text), isLasting: false });

function renderedIn(worker: Worker, value: TextValue, patienceMs: number): Promise<Rendered> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => void worker.terminate(), patienceMs);
    const settle = (rendered: Rendered): void => {
      clearTimeout(patience);
      worker.off('message', onMessage).off('exit', onExit);
      resolve(rendered);
    };
    const onMessage = (html: string): void => {
      settle({ html, isLasting: true });
    };
    const onExit = (): void => {
      settle(escapedOnce(value));
    };
    worker.on('message', onMessage).on('exit', onExit);
    worker.postMessage(value);
  });
}
