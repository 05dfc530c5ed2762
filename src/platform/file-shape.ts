/** What a platform file holds once it is valid: the types of its JSON Schema, with the defaults filled in. */
import { type ContainerType, type FieldType, type SelectionType } from '../trackers/definition.js';

export interface PlatformFile {
  readonly settings: SettingsEntry;
  readonly artifact_link_types: readonly LinkTypeEntry[];
  readonly users: readonly UserEntry[];
  readonly projects: readonly ProjectEntry[];
}

interface SettingsEntry {
  readonly anonymous_access: boolean;
  readonly artifact_deletion_limit: number;
  readonly archive_deleted_artifacts: boolean;
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
  readonly site_admin: boolean;
  readonly status: 'active' | 'suspended';
}

export interface UserGroupEntry {
  readonly short_name: string;
  readonly label: string;
  readonly members: readonly string[];
}

export interface ProjectEntry {
  readonly shortname: string;
  readonly label: string;
  readonly description: string;
  readonly access: 'public' | 'private';
  readonly status: 'active' | 'suspended';
  readonly admins: readonly string[];
  readonly members: readonly string[];
  readonly user_groups: readonly UserGroupEntry[];
  readonly svn: boolean;
  readonly trackers: readonly TrackerEntry[];
}

export interface TrackerEntry {
  readonly item_name: string;
  readonly label: string;
  readonly description: string;
  readonly color_name: string;
  readonly admins: readonly string[];
  readonly permissions: {
    readonly access: readonly string[];
    readonly submit: readonly string[];
    readonly update: readonly string[];
  };
  readonly fields: readonly FieldEntry[];
  readonly semantics: SemanticsEntry;
  readonly workflow?: WorkflowEntry;
}

export interface SemanticsEntry {
  readonly title?: string;
  readonly description?: string;
  readonly status?: { readonly field: string; readonly open: readonly string[] };
  readonly contributor?: string;
}

export interface WorkflowEntry {
  readonly field: string;
  /** From and to; null stands for a new artifact. */
  readonly transitions: readonly (readonly [string | null, string])[];
}

interface AnyField<Type extends FieldType> {
  readonly name: string;
  readonly label: string;
  readonly type: Type;
  readonly description: string;
  readonly permissions: {
    readonly read: readonly string[];
    readonly submit?: readonly string[];
    readonly update?: readonly string[];
  };
}

interface InputField<Type extends FieldType> extends AnyField<Type> {
  readonly required: boolean;
}

export interface ListValueEntry {
  readonly label: string;
  readonly color: string;
  readonly hidden: boolean;
}

export interface ContainerEntry extends AnyField<ContainerType> {
  readonly fields: readonly FieldEntry[];
}

export interface ListEntry extends InputField<SelectionType | 'tbl'> {
  readonly bind: 'static' | 'users' | 'user_groups';
  readonly values?: readonly ListValueEntry[];
  readonly from?: readonly string[];
  /** A label, a user name or the short name of a group; several where the field takes several. */
  readonly default?: string | readonly string[];
}

export interface StringEntry extends InputField<'string'> {
  readonly max_chars?: number;
  readonly size?: number;
  readonly default?: string;
}

export interface TextEntry extends InputField<'text'> {
  readonly rows?: number;
  readonly default?: string;
}

interface NumberEntry extends InputField<'int' | 'float'> {
  readonly default?: number;
}

export interface DateEntry extends InputField<'date'> {
  readonly time: boolean;
  readonly default?: string;
}

interface FileEntry extends InputField<'file'> {
  readonly max_size?: number;
}

export interface PermEntry extends InputField<'perm'> {
  readonly default?: readonly string[];
}

interface ComputedEntry extends AnyField<'computed'> {
  /** A value set by hand; without it the field is computed. */
  readonly default?: number;
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
