/** The thread that renders, as the service sees it. It is started when the first text comes, and after a crash anew. */
import { type Worker } from 'node:worker_threads';
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { escaped } from './escaped.js';

interface Rendered {
  readonly html: string;
  /** False where the thread has ended over the text, or did not start: it is escaped, this once. */
  readonly isLasting: boolean;
}

export interface RenderingThread {
  /** Of each text, in their order. One call at a time. */
  render(texts: readonly TextValue[]): Promise<readonly Rendered[]>;
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
  let closed = false;
  const started = (): Worker => {
    const worker = start();
    worker.unref();
    worker.on('error', onFailed);
    worker.once('exit', () => {
      thread = undefined;
    });
    return worker;
  };

  const render: RenderingThread['render'] = async (texts) => {
    if (closed) return texts.map(escapedOnce);
    try {
      thread ??= started();
    } catch (error) {
      onFailed(error instanceof Error ? error : new Error(String(error)));
      return texts.map(escapedOnce);
    }
    const rendered = await renderedIn(thread, texts, patienceMs);
    if (rendered !== undefined) return rendered.map((html) => ({ html, isLasting: true }));
    if (texts.length === 1) return texts.map(escapedOnce);
    // One of them has ended the thread.
    const apart: Rendered[] = [];
    for (const text of texts) apart.push(...(await render([text])));
    return apart;
  };
  return {
    render,
    close: async () => {
      closed = true;
      await thread?.terminate();
    },
  };
}

const escapedOnce = (text: TextValue): Rendered => ({ html: escaped(text), isLasting: false });

/** Undefined if the thread has ended over them. */
function renderedIn(
  worker: Worker,
  texts: readonly TextValue[],
  patienceMs: number,
): Promise<readonly string[] | undefined> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => void worker.terminate(), patienceMs);
    const settle = (rendered?: readonly string[]): void => {
      clearTimeout(patience);
      worker.off('message', settle).off('exit', onExit);
      resolve(rendered);
    };
    const onExit = (): void => {
      settle();
    };
    worker.on('message', settle).on('exit', onExit);
    worker.postMessage(texts);
  });
}
