/** A form element as a tracker's representation tells it: what all types share, and what each adds. */
import { type FieldValue } from './field-types/field-value.js';
import { aroundMember } from '../http/send-json.js';
import { linkTypesOf } from '../platform/link-types.js';
import { groupsOf, userGroups } from '../projects/representation.js';
import { isContainer, type CompiledTracker } from './compiled-tracker.js';
import { dateOf, manualOf, textOf } from './field-types/canonical.js';
import { maxFileSize, type Field, type FieldType } from './field-types/definition.js';
import {
  bindings,
  listDefault,
  listedUsers,
  listValues,
  userValueTexts,
  writerValues,
  type ListContext,
} from './list-representation.js';
import { type TrackerDefinitions } from './tracker-definitions.js';

export interface FieldContext extends ListContext {
  readonly tracker: CompiledTracker;
  /** Of the tracker. */
  readonly isAdmin: boolean;
}

type Part = (field: Field, context: FieldContext) => unknown;

interface TypeParts {
  readonly values: Part;
  readonly defaultValue: Part;
  readonly specificProperties: Part;
  /** Members that only this type has. */
  readonly more: (field: Field, context: FieldContext) => object;
  /** The service fills the field itself. */
  readonly readOnly: boolean;
}

/** What a type says where it says nothing of its own. */
const PLAIN: TypeParts = {
  values: () => null,
  defaultValue: () => null,
  specificProperties: () => ({}),
  more: () => ({}),
  readOnly: false,
};

const OPEN_LIST_HINT = 'Type in a search term';

const number: Partial<TypeParts> = {
  defaultValue: ({ default: value }) => plain(value),
  specificProperties: ({ default: value }) => ({ maxchars: 0, size: 10, default_value: plain(value) }),
};
const list: Partial<TypeParts> = { values: listValues, defaultValue: listDefault };
const readOnly: Partial<TypeParts> = { readOnly: true };
const writer: Partial<TypeParts> = {
  ...readOnly,
  values: (_, context) => writerValues(context.tracker, context),
  defaultValue: () => [],
};

const TYPES: Readonly<Record<FieldType, Partial<TypeParts>>> = {
  fieldset: {},
  column: {},
  string: {
    defaultValue: ({ default: value }) => plain(value) ?? '',
    specificProperties: ({ maxChars = 0, size = 30, default: value }) => ({
      maxchars: maxChars,
      size,
      default_value: plain(value) ?? '',
    }),
  },
  text: {
    defaultValue: ({ default: value }) => textDefault(value),
    specificProperties: ({ rows = 10, default: value }) => ({
      rows,
      cols: 50,
      default_value: textDefault(value).content,
    }),
  },
  int: number,
  float: number,
  date: {
    defaultValue: ({ default: value }) => dateOf(value) ?? '',
    specificProperties: ({ default: value, time = false }) => ({
      default_value: dateOf(value) ?? '',
      display_time: time,
    }),
    more: ({ time = false }) => ({ is_time_displayed: time }),
  },
  sb: list,
  rb: list,
  msb: list,
  cb: list,
  tbl: { ...list, specificProperties: () => ({ hint: OPEN_LIST_HINT }), more: () => ({ hint: OPEN_LIST_HINT }) },
  art_link: { more: (_, { definitions }) => ({ allowed_types: linkTypes(definitions) }) },
  file: {
    more: (field) => ({ file_creation_uri: `tracker_fields/${field.id}/files`, max_size_upload: maxFileSize(field) }),
  },
  perm: {
    values: ({ default: value }, { project }) => ({
      is_used_by_default: Array.isArray(value) && value.length > 0,
      ugroup_representations: userGroups(project, groupsOf(project)),
    }),
  },
  computed: {
    defaultValue: ({ default: value }) => computedDefault(value),
    specificProperties: ({ default: value }) => ({ default_value: computedDefault(value)?.value ?? null }),
  },
  aid: readOnly,
  atid: readOnly,
  subon: { ...readOnly, more: () => ({ is_time_displayed: true }) },
  subby: writer,
  lud: { ...readOnly, more: () => ({ is_time_displayed: true }) },
  luby: writer,
};

const partsOf = ({ type }: Field): TypeParts => ({ ...PLAIN, ...TYPES[type] });

export function fieldRepresentation(field: Field, context: FieldContext) {
  const { before, after } = aroundValues(field, context);
  return { ...before, values: partsOf(field).values(field, context), ...after };
}

/** The same as parts of JSON. Lists of users may be long, and none of them becomes one text. */
export function* fieldTexts(field: Field, context: FieldContext): Generator<string, void, void> {
  const users = listedUsers(field, context);
  if (users === undefined) {
    yield JSON.stringify(fieldRepresentation(field, context));
    return;
  }
  const { before, after } = aroundValues(field, context);
  const [open, close] = aroundMember(before, 'values', after);
  yield open;
  yield* userValueTexts(users);
  yield close;
}

function aroundValues(field: Field, context: FieldContext) {
  const parts = partsOf(field);
  const before = { field_id: field.id, label: field.label, name: field.name, type: field.type };
  const after = {
    required: field.required,
    collapsed: false,
    bindings: bindings(field, context),
    permissions: permissions(field, context),
    permissions_for_groups: context.isAdmin && !isContainer(field) ? permissionsForGroups(field, context) : null,
    default_value: parts.defaultValue(field, context),
    has_notifications: false,
    is_used: true,
    description: field.description,
    specific_properties: parts.specificProperties(field, context),
    label_decorators: [],
    ...parts.more(field, context),
  };
  return { before, after };
}

/** Of the viewer, who may read the field. Anonymous users never write, for any permission lists. */
function permissions(field: Field, { viewer, tracker }: FieldContext): readonly ('read' | 'update' | 'create')[] {
  const isSignedIn = viewer.user !== null;
  return [
    'read',
    ...(isSignedIn && viewer.mayWrite('update', tracker, field) ? (['update'] as const) : []),
    ...(isSignedIn && viewer.mayWrite('submit', tracker, field) ? (['create'] as const) : []),
  ];
}

function permissionsForGroups(field: Field, { project, tracker }: FieldContext) {
  const { read, submit, update } = field.permissions;
  const ofTracker = tracker.view.permissions;
  const isWritable = !partsOf(field).readOnly;
  return {
    can_submit: isWritable ? userGroups(project, submit ?? ofTracker.submit) : [],
    can_read: userGroups(project, read),
    can_update: isWritable ? userGroups(project, update ?? ofTracker.update) : [],
  };
}

function linkTypes(definitions: TrackerDefinitions) {
  return linkTypesOf(definitions.platform()).map(({ shortname, forwardLabel, reverseLabel }) => ({
    shortname,
    forward_label: forwardLabel,
    reverse_label: reverseLabel,
  }));
}

type Default = FieldValue | undefined;

const plain = (value: Default) => (typeof value === 'string' || typeof value === 'number' ? value : null);

function textDefault(value: Default) {
  const { text, format } = textOf(value) ?? { text: '', format: 'text' };
  return { format, content: text };
}

function computedDefault(value: Default) {
  const manual = manualOf(value);
  return manual === null ? null : { type: 'manual_value', value: manual };
}
