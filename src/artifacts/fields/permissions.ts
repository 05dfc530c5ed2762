/** perm: the groups that an artifact is limited to. */
import { type ProjectView } from '../../projects/project-view.js';
import { userGroup, userGroups } from '../../projects/representation.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { itemsFault } from './value-bounds.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import {
  currentValue,
  isGiven,
  isObject,
  NOTHING,
  readAll,
  shown,
  submittedValue,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
} from './field-input.js';
import { groupIdFrom } from './list-values.js';

export const parsePermissions: Parse<readonly number[]> = (field, input, context) => {
  const value = asRead(input) ?? submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (value === null) return [];
  return isObject(value)
    ? fromObject(value, numbersOf(currentValue(field, context)).length, context)
    : context.refuse('/value', 'takes an object with "granted_groups"');
};

function fromObject(value: FieldInput, held: number, context: ParseContext): readonly number[] | Nothing {
  const { is_used_by_default: isUsed, granted_groups: granted } = value;
  if (isGiven(isUsed) && typeof isUsed !== 'boolean') {
    return context.refuse('/value/is_used_by_default', 'takes true or false here');
  }
  // Without it, a misspelt name would lift the limits.
  if (isUsed === false && !isGiven(granted)) return [];
  const groups = grantedGroups(granted, held, context);
  if (groups === NOTHING) return NOTHING;
  if (isUsed === true && groups.length === 0) {
    return context.refuse('/value/granted_groups', 'takes a group at least where "is_used_by_default" is true');
  }
  return [...new Set(groups)].sort((a, b) => a - b);
}

/** Undefined unless a client sends back what it has read. */
function asRead({ value, granted_groups_ids: ids }: FieldInput): FieldInput | undefined {
  return !isGiven(value) && Array.isArray(ids) ? { granted_groups: ids } : undefined;
}

function grantedGroups(granted: unknown, held: number, context: ParseContext): readonly number[] | Nothing {
  const { definitions, projectId, refuse } = context;
  if (!Array.isArray(granted)) return refuse('/value/granted_groups', 'takes an array of group ids');
  const tooMany = itemsFault(granted.length, held);
  if (tooMany !== undefined) return refuse('/value/granted_groups', tooMany);
  const project = definitions.project(projectId);
  return readAll(granted, (item, index) => {
    const id = groupIdFrom(item, projectId);
    if (id !== undefined && project !== undefined && userGroup(project, id) !== undefined) return id;
    return refuse(`/value/granted_groups/${index}`, `does not know the group ${shown(item)} in its project`);
  });
}

/** The members of a perm field's representation. */
export function permissionParts(value: FieldValue, project: ProjectView | undefined) {
  const groups = project === undefined ? [] : userGroups(project, numbersOf(value));
  return { granted_groups: groups.map(({ label }) => label), granted_groups_ids: groups.map(({ id }) => id) };
}
