import { Problem } from '../core/problem.js';
import { type TextFormat, type TextValue } from '../trackers/field-types/field-value.js';
import { isWellFormed } from './fields/field-input.js';
import { type ChangeBody } from './schemas.js';

const FORMATS: readonly TextFormat[] = ['text', 'html', 'commonmark'];

/** Undefined when nothing is said; an unknown format is read as the default one. */
export function commentOf(comment: ChangeBody['comment']): TextValue | undefined {
  const text = comment?.body ?? '';
  if (text === '') return undefined;
  if (!isWellFormed(text)) {
    const message = 'holds half a surrogate pair';
    throw new Problem('invalid', `The comment ${message}`, { details: [{ pointer: '/comment/body', message }] });
  }
  return { text, format: FORMATS.find((format) => format === comment?.format) ?? 'commonmark' };
}
