import { htmlOf } from '../../../src/artifacts/rendering/html-of.js';
import { type HtmlOf } from '../../../src/artifacts/rendering/text-rendering.js';

/** What the thread answers, without the thread. */
export const htmlAtOnce: HtmlOf = htmlOf;
