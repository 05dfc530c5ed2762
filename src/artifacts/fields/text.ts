/** string and text. Nothing written is null; it is read as an empty text. */
import { MAX_TEXT_BYTES } from '../../core/bounds.js';
import { Problem } from '../../core/problem.js';
import { type TextFormat, type TextValue } from '../../trackers/field-types/field-value.js';
import { textOf } from '../../trackers/field-types/canonical.js';
import { escaped } from '../rendering/escaped.js';
import { type HtmlOf } from '../rendering/text-rendering.js';
import {
  currentValue,
  isLongerThan,
  isObject,
  isWellFormed,
  NOTHING,
  shown,
  submittedValue,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
} from './field-input.js';

const RETRY_AFTER = 5;
const HALF_PAIR = 'holds half a surrogate pair';

const isTextFormat = (format: unknown): format is TextFormat =>
  format === 'text' || format === 'html' || format === 'commonmark';

export const parseString: Parse<string | null> = (field, input, context) => {
  const value = submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return context.refuse('/value', 'takes a string');
  // What was written before the field got its maximum may be sent back.
  const fault = value === currentValue(field, context) ? undefined : lineFault(value, field.maxChars ?? 0);
  return fault === undefined ? value : context.refuse('/value', fault);
};

/** What is wrong with a text of one line; a maximum of 0 is none. */
export function lineFault(text: string, maximum: number): string | undefined {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  if (/[\r\n\0]/.test(text)) return 'takes one line without line breaks and NUL';
  if (maximum > 0 && isLongerThan(text, maximum)) return `takes at most ${maximum} characters`;
  return undefined;
}

/** What is wrong with a text of any number of lines. */
export const textFault = (text: string): string | undefined => (isWellFormed(text) ? undefined : HALF_PAIR);

export const parseText: Parse<TextValue | null> = (field, input, context) => {
  const value = submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (value === null) return null;
  const held = textOf(currentValue(field, context));
  const written = isObject(value) ? fromContent(value, held, context) : fromString(value, input, held, context);
  if (written === NOTHING) return NOTHING;
  const fault = textFault(written.text);
  if (fault !== undefined) return context.refuse('/value', fault);
  return written.text === '' ? null : written;
};

type Held = TextValue | undefined;

function fromContent({ content, format }: FieldInput, held: Held, { refuse }: ParseContext): TextValue | Nothing {
  if (typeof content !== 'string') return refuse('/value/content', 'takes a string as "content"');
  return formatted(content, format, held);
}

/** A text that is held already keeps its format unless another one is named. */
function formatted(text: string, format: unknown, held: Held): TextValue {
  if (isTextFormat(format)) return { text, format };
  return held?.text === text ? held : { text, format: 'commonmark' };
}

/** The Markdown of an element that was read and is sent back, as far as it can be. */
export function sourceIn({ value, commonmark }: FieldInput): TextValue | undefined {
  if (typeof value !== 'string' || typeof commonmark !== 'string') return undefined;
  if (Buffer.byteLength(commonmark) > MAX_TEXT_BYTES || !isWellFormed(commonmark)) return undefined;
  return { text: commonmark, format: 'commonmark' };
}

/** Whether it is what the source renders to, or was shown as where it could not be rendered. */
function isAsRead(value: string, source: TextValue, { htmlOf }: ParseContext): boolean {
  if (htmlOf(source) === value) return true;
  if (htmlOf.hasEscaped === true && escaped(source) === value) return true;
  if (htmlOf.passing?.has(source.text) !== true) return false;
  throw new Problem('unavailable', 'the Markdown cannot be rendered now', { retryAfter: RETRY_AFTER });
}

/** An element that was read and is sent back says its format, and its source where `value` is what that renders to. */
function fromString(
  value: unknown,
  { format, commonmark }: FieldInput,
  held: Held,
  context: ParseContext,
): TextValue | Nothing {
  if (typeof value !== 'string') return context.refuse('/value', `takes a string or an object, not ${shown(value)}`);
  const source = sourceIn({ value, commonmark });
  if (source !== undefined && isAsRead(value, source, context)) return source;
  return formatted(value, format, held);
}

export const NO_TEXT: TextValue = { text: '', format: 'text' };

/** The members of a text's representation. Representations of Markdown hold the HTML and its source. */
export function renderText(value: TextValue, htmlOf: HtmlOf) {
  const { text, format } = value;
  const html = htmlOf(value);
  if (format !== 'commonmark') return { value: text, post_processed_value: html, format };
  return { value: html, post_processed_value: html, format: 'html' as const, commonmark: text };
}
