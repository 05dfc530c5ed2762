import { Problem } from '../core/problem.js';
import { type TextFormat, type TextValue } from './field-value.js';
import { textFault } from './fields/text.js';
import { type ChangeBody } from './schemas.js';

const FORMATS: readonly TextFormat[] = ['text', 'html', 'commonmark'];

/** Undefined when nothing is said; an unknown format is read as the default one. */
export function commentOf(comment: ChangeBody['comment']): TextValue | undefined {
  const text = comment?.body ?? '';
  if (text === '') return undefined;
  const fault = textFault(text);
  if (fault !== undefined) {
    throw new Problem('invalid', `The comment ${fault}`, { details: [{ pointer: '/comment/body', message: fault }] });
  }
  return { text, format: FORMATS.find((format) => format === comment?.format) ?? 'commonmark' };
}
