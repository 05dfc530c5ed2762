import { escapeHtml } from '../../core/text/escape-html.js';
import { type TextValue } from '../../trackers/field-types/field-value.js';

/** The HTML that shows a text as it was written. The lines of a plain text stay apart. */
export function escaped({ format, text }: TextValue): string {
  const html = escapeHtml(text);
  return format === 'text' ? html.replaceAll(/\r\n?|\n/g, '<br />\n') : html;
}
