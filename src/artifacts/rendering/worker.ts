/** The thread that makes HTML of texts, one after the other. */
import { parentPort } from 'node:worker_threads';
import { htmlOf } from './html-of.js';
import { type TextValue } from '../../trackers/field-types/field-value.js';

parentPort?.on('message', (texts: readonly TextValue[]) => {
  parentPort?.postMessage(texts.map(htmlOf));
});
