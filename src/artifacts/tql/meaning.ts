/** What the meanings of comparisons are made of. */
import { type Criterion } from '../../core/read-models.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type UserView } from '../../users/user-view.js';
import { type ListContext } from '../fields/list-values.js';
import { type Comparison, type Literal } from './expression.js';
import { type Search } from './searches.js';

export const ANYBODY = 'anybody';

export interface ComparisonContext extends ListContext {
  /** Null: anonymous. Any viewer: the existence of users and groups is not checked, because it may change. */
  readonly user: Pick<UserView, 'username'> | null | typeof ANYBODY;
  readonly now: Date;
}

/** A comparison with what stands on its left. */
export interface Asked extends Comparison {
  readonly tracker: number;
  readonly field: Field;
  readonly key: string;
}

/** A text says what is wrong. */
export type Meaning = Criterion | Search | string;

export const negatedIf = (isNegated: boolean, criterion: Criterion): Criterion =>
  isNegated ? { type: 'not', criterion } : criterion;

export const TEXTS = 'a text in quotes';

export const cannotCompare = (name: string, value: Literal, takes: string): string =>
  `Field "${name}" cannot be compared with ${shown(value)}; use ${takes}`;

export function shown(value: Literal): string {
  if ('text' in value) return JSON.stringify(value.text);
  const { amount, unit } = (value.type === 'now' && value.shift) || { amount: 0, unit: '' };
  const shift = amount === 0 ? '' : ` ${amount < 0 ? '-' : '+'} ${Math.abs(amount)}${unit}`;
  return `${value.type.toUpperCase()}()${shift}`;
}
