/** The parts of a tracker, as its events hold these. A file of its own because artifacts and filters read it too. */
import { type FieldValue } from './field-value.js';
import { type GroupId } from '../../projects/project-events.js';

export type ContainerType = 'fieldset' | 'column';
export type SelectionType = 'sb' | 'rb' | 'msb' | 'cb';
export type FieldType =
  | ContainerType
  | SelectionType
  | 'string'
  | 'text'
  | 'int'
  | 'float'
  | 'date'
  | 'tbl'
  | 'art_link'
  | 'file'
  | 'perm'
  | 'computed'
  | 'aid'
  | 'atid'
  | 'subon'
  | 'subby'
  | 'lud'
  | 'luby';

/** `None` in a selection field. Ids of the service start right after it. */
export const NONE_VALUE = 100;

export interface ListValue {
  readonly id: number;
  readonly label: string;
  /** Empty when it has none. */
  readonly color: string;
  readonly hidden: boolean;
}

export interface FieldPermissions {
  readonly read: readonly GroupId[];
  /** Null: as the tracker's. */
  readonly submit: readonly GroupId[] | null;
  readonly update: readonly GroupId[] | null;
}

/** A node of the form: containers hold `fields`, the other optional members belong to the types named beside them. */
export interface Field {
  readonly id: number;
  /** The shortname of the contract, unique in the tracker. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** False once the platform file no longer lists it: kept for history, absent from the API. */
  readonly used: boolean;
  readonly permissions: FieldPermissions;
  /** fieldset, column */
  readonly fields?: readonly Field[];
  /** string; 0 is no limit */
  readonly maxChars?: number;
  /** string */
  readonly size?: number;
  /** text */
  readonly rows?: number;
  /** date: whether hours and minutes count */
  readonly time?: boolean;
  /** sb, rb, msb, cb, tbl */
  readonly bind?: 'static' | 'users' | 'user_groups';
  /** static lists; values that were dropped stay, hidden */
  readonly values?: readonly ListValue[];
  /** lists bound to users: whose members, but of an open list any user; bound to user groups: which */
  readonly from?: readonly GroupId[];
  /** file, in bytes */
  readonly maxSize?: number;
  /** What a new artifact holds when the field is not named. */
  readonly default?: FieldValue;
}

/** Of a file field whose definition names none: 64 MiB. */
const DEFAULT_MAX_FILE_SIZE = 67_108_864;

/** Bytes that a file in this field may have. */
export const maxFileSize = ({ maxSize = DEFAULT_MAX_FILE_SIZE }: Field): number => maxSize;

export interface TrackerPermissions {
  readonly access: readonly GroupId[];
  readonly submit: readonly GroupId[];
  readonly update: readonly GroupId[];
}

export interface TrackerAdmins {
  readonly users: readonly number[];
  readonly groups: readonly GroupId[];
}

/** Field ids; what is not set is left out. */
export interface Semantics {
  readonly title?: number;
  readonly description?: number;
  readonly status?: { readonly field: number; readonly open: readonly number[] };
  readonly contributor?: number;
}

export interface Transition {
  readonly id: number;
  /** Null: a new artifact. */
  readonly from: number | null;
  readonly to: number;
}

/** The same for transitions between the same values. */
export const transitionKey = ({ from, to }: Pick<Transition, 'from' | 'to'>): string => `${from} ${to}`;

export interface Workflow {
  readonly field: number;
  readonly transitions: readonly Transition[];
}

/** Whether used or not, containers before what they hold. */
export function allFields(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [field, ...allFields(field.fields ?? [])]);
}
