/** The words of comments, each in a document of its own: an artifact is written anew at each change. */
import { decodeHTML } from 'entities';
import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { foldText } from '../core/text/spelling.js';
import { type TextValue } from '../trackers/field-types/field-value.js';
import { commentsKey } from './artifact-view.js';

export interface CommentView extends Document {
  readonly id: string;
  readonly trackerId: number;
  /** See `phraseOf`. */
  readonly words: string;
}

/** Of a comment: its artifact. */
export const commentedKey = (trackerId: number): string => `${trackerId}.commented`;

export const commentViews: ReadModel<CommentView> = {
  name: 'comments',
  entries: ({ id, trackerId, words }) => [
    { key: commentsKey(trackerId), text: words },
    { key: commentedKey(trackerId), value: commentedBy(id), unordered: true },
  ],
};

/** A changeset has one comment at most. */
export const commentId = (artifactId: number, revision: Revision): string => `${artifactId}.${revision}`;
export const commentedBy = (id: string): number => Number(id.split('.')[0]);

/** What may stand inside of a word. */
const INLINE_MARKUP =
  /<\/?(?:a|abbr|b|bdi|bdo|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?=[\s/>])[^<>]*>/gi;
const UNSHOWN = /<(script|style)\b[\s\S]*?(?:<\/\1\b|$)/gi;
/** Shows where a word may be broken, and is no part of it. */
const SOFT_HYPHEN = '\u00ad';
const MARKUP = /<[^<>]*>/g;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Folded words, each between two blanks: a phrase of whole words is a substring. Null for a text without words. */
export function phraseOf({ text, format }: TextValue): string | null {
  const words = foldText((format === 'html' ? shownText(text) : text).replaceAll(SOFT_HYPHEN, ''))
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '');
  return words.length === 0 ? null : ` ${words.join(' ')} `;
}

function shownText(html: string): string {
  const text = html.replaceAll(UNSHOWN, ' ').replaceAll(INLINE_MARKUP, '').replaceAll(MARKUP, ' ');
  return decodeHTML(text);
}
