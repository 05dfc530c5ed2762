/** The thread that makes HTML of texts, one after the other. */
import { parentPort } from 'node:worker_threads';
import { htmlOf } from './html-of.js';
import { type Markup } from './rendering-thread.js';

parentPort?.on('message', ({ format, text }: Markup) => {
  parentPort?.postMessage(htmlOf(format, text));
});
