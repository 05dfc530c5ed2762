/** Types of fields that the service fills in itself. */
import { type FieldType } from './definition.js';

export type NumberType = 'aid' | 'atid';
export type StampType = 'subon' | 'subby' | 'lud' | 'luby';

export const isReadOnly = (type: FieldType): type is NumberType | StampType =>
  isNumberType(type) || type === 'subon' || type === 'subby' || type === 'lud' || type === 'luby';

export const isNumberType = (type: FieldType): type is NumberType => type === 'aid' || type === 'atid';
