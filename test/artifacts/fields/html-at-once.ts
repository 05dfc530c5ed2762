import { escapeHtml } from '../../../src/artifacts/rendering/escape-html.js';
import { htmlOf } from '../../../src/artifacts/rendering/html-of.js';
import { type HtmlOf } from '../../../src/artifacts/rendering/text-rendering.js';

/** What the thread answers, without the thread. */
export const htmlAtOnce: HtmlOf = ({ format, text }) => (format === 'text' ? escapeHtml(text) : htmlOf(format, text));
