import { invalidAt } from '../core/problem.js';
import { TEXT_FORMATS, type TextValue } from '../trackers/field-types/field-value.js';
import { isWellFormed } from './fields/field-input.js';
import { type ChangeBody } from './schemas.js';

/** Without the white space around it. Undefined when nothing is said; an unknown format is read as the default one. */
export function commentOf(comment: ChangeBody['comment']): TextValue | undefined {
  const text = (comment?.body ?? '').trim();
  if (text === '') return undefined;
  if (!isForAll(comment?.ugroups)) {
    throw invalidAt('/comment/ugroups', 'has to be empty: a comment is for all who may read the artifact');
  }
  if (!isWellFormed(text)) throw invalidAt('/comment/body', 'holds half a surrogate pair');
  return { text, format: TEXT_FORMATS.find((format) => format === comment?.format) ?? 'commonmark' };
}

/** Where comments can be private, this names the groups that may read one. */
const isForAll = (groups: unknown): boolean =>
  groups === undefined || groups === null || (Array.isArray(groups) && groups.length === 0);
