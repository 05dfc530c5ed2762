/** Texts as safe HTML. */
import { LRUCache } from 'lru-cache';
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import { type TextFormat } from '../field-value.js';

const markdown = new MarkdownIt({ html: false, linkify: false });

const ALLOWED_HTML: sanitizeHtml.IOptions = { allowedTags: sanitizeHtml.defaults.allowedTags.concat('img', 'del') };

/** In characters, of the texts and their HTML together. */
const REMEMBERED_SIZE = 8_388_608;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

export const htmlOf: Readonly<Record<TextFormat, (text: string) => string>> = {
  text: escapeHtml,
  html: remembered((html) => sanitizeHtml(html, ALLOWED_HTML)),
  commonmark: remembered((source) => markdown.render(source)),
};

/** Rendering costs far more than all else of a representation. The result depends on the text alone, so all share it. */
function remembered(render: (text: string) => string): (text: string) => string {
  const known = new LRUCache<string, string>({
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: (html, text) => html.length + text.length + 1,
  });
  return (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const html = render(text);
    known.set(text, html);
    return html;
  };
}
