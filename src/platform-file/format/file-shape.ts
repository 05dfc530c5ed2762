/**
 * What a platform file holds once it is valid: the types of its JSON Schema. A member that is undefined is not named,
 * and stays as it is. Null sets it back to its default.
 */
import { type ContainerType, type FieldType, type SelectionType } from '../../trackers/field-types/definition.js';

export interface PlatformFile {
  readonly settings?: SettingsEntry | null;
  readonly artifact_link_types?: readonly LinkTypeEntry[];
  readonly users?: readonly UserEntry[];
  readonly projects?: readonly ProjectEntry[];
}

export interface SettingsEntry {
  readonly anonymous_access?: boolean | null;
  readonly artifact_deletion_limit?: number | null;
  readonly archive_deleted_artifacts?: boolean | null;
}

interface LinkTypeEntry {
  readonly shortname: string;
  readonly forward_label: string;
  readonly reverse_label: string;
}

export interface UserEntry {
  readonly username: string;
  readonly real_name: string;
  readonly email: string;
  readonly password?: string;
  readonly password_env?: string;
  readonly site_admin?: boolean | null;
  readonly status?: 'active' | 'suspended' | null;
}

export interface UserGroupEntry {
  readonly short_name: string;
  readonly label: string;
  readonly members?: readonly string[] | null;
}

export interface ProjectEntry {
  readonly shortname: string;
  readonly label: string;
  readonly description?: string | null;
  readonly access?: 'public' | 'private' | null;
  readonly status?: 'active' | 'suspended' | null;
  readonly admins?: readonly string[] | null;
  readonly members?: readonly string[] | null;
  readonly user_groups?: readonly UserGroupEntry[];
  readonly svn?: boolean | null;
  readonly trackers?: readonly TrackerEntry[];
}

export interface TrackerEntry {
  readonly item_name: string;
  readonly label: string;
  readonly description?: string | null;
  readonly color_name?: string | null;
  readonly admins?: readonly string[] | null;
  readonly permissions?: {
    readonly access?: readonly string[] | null;
    readonly submit?: readonly string[] | null;
    readonly update?: readonly string[] | null;
  } | null;
  readonly fields: readonly FieldEntry[];
  readonly semantics?: SemanticsEntry | null;
  readonly workflow?: WorkflowEntry | null;
}

interface SemanticsEntry {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly status?: { readonly field: string; readonly open: readonly string[] } | null;
  readonly contributor?: string | null;
}

interface WorkflowEntry {
  readonly field: string;
  /** From and to; null stands for a new artifact. */
  readonly transitions: readonly (readonly [string | null, string])[];
}

interface AnyField<Type extends FieldType> {
  readonly name: string;
  readonly label: string;
  readonly type: Type;
  readonly description?: string | null;
  readonly permissions?: {
    readonly read?: readonly string[] | null;
    readonly submit?: readonly string[] | null;
    readonly update?: readonly string[] | null;
  } | null;
}

interface InputField<Type extends FieldType> extends AnyField<Type> {
  readonly required?: boolean | null;
}

export interface ListValueEntry {
  readonly label: string;
  readonly color?: string | null;
  readonly hidden?: boolean | null;
}

export interface ContainerEntry extends AnyField<ContainerType> {
  readonly fields?: readonly FieldEntry[];
}

export interface ListEntry extends InputField<SelectionType | 'tbl'> {
  readonly bind?: 'static' | 'users' | 'user_groups' | null;
  readonly values?: readonly ListValueEntry[] | null;
  readonly from?: readonly string[];
  /** A label, a user name or the short name of a group; several where the field takes several. */
  readonly default?: string | readonly string[] | null;
}

export interface StringEntry extends InputField<'string'> {
  readonly max_chars?: number | null;
  readonly size?: number | null;
  readonly default?: string | null;
}

export interface TextEntry extends InputField<'text'> {
  readonly rows?: number | null;
  readonly default?: string | null;
}

interface NumberEntry extends InputField<'int' | 'float'> {
  readonly default?: number | null;
}

export interface DateEntry extends InputField<'date'> {
  readonly time?: boolean | null;
  readonly default?: string | null;
}

export interface FileEntry extends InputField<'file'> {
  readonly max_size?: number | null;
}

export interface PermEntry extends InputField<'perm'> {
  readonly default?: readonly string[] | null;
}

interface ComputedEntry extends AnyField<'computed'> {
  /** A value set by hand; without it the field is computed. */
  readonly default?: number | null;
}

export type FieldEntry =
  | ContainerEntry
  | ListEntry
  | StringEntry
  | TextEntry
  | NumberEntry
  | DateEntry
  | FileEntry
  | PermEntry
  | ComputedEntry
  | InputField<'art_link'>
  | AnyField<'aid' | 'atid' | 'subon' | 'subby' | 'lud' | 'luby'>;
