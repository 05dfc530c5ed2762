/** The part of a change that lets nobody read or write more. It names no user that the file brings in. Pure. */
import { PROJECT_ADMINS, type GroupId, type Membership } from '../../projects/project-events.js';
import { allFields, type Field } from '../../trackers/field-types/definition.js';
import { isNewThing, newThingsIn } from './new-things.js';
import { admits, type Rights } from './widening.js';

export function narrowedMembership(before: Membership, after: Membership): Membership {
  const people = [...before.admins, ...before.members];
  const admins = new Set(before.admins);
  const promoted = after.admins.filter((id) => !admins.has(id));
  const groups = new Map(before.groups.map((group) => [group.id, group]));
  return {
    admins: shared(before.admins, after.admins),
    members: inOrderOf(before.members, shared(people, [...new Set([...after.members, ...promoted])])),
    groups: after.groups.map((group) => {
      const old = groups.get(group.id);
      // Nothing that is there names a new group yet.
      const members = old ? shared(old.members, group.members) : group.members.filter((id) => !isNewThing(id));
      return { ...group, members };
    }),
  };
}

function shared(before: readonly number[], after: readonly number[]): readonly number[] {
  const known = new Set(before);
  return inOrderOf(
    before,
    after.filter((id) => known.has(id)),
  );
}

/** So that the same items are no change. */
function inOrderOf(before: readonly number[], items: readonly number[]): readonly number[] {
  const kept = new Set(items);
  return kept.size === before.length && before.every((id) => kept.has(id)) ? before : items;
}

export function narrowedRights(before: Rights, after: Rights): Rights {
  const narrowed = (action: keyof Rights['permissions']): readonly GroupId[] =>
    sharedGroups(before.permissions[action], after.permissions[action]);
  return {
    admins: {
      users: shared(before.admins.users, after.admins.users),
      groups: sharedGroups(before.admins.groups, after.admins.groups),
    },
    permissions: { access: narrowed('access'), submit: narrowed('submit'), update: narrowed('update') },
  };
}

/** Each list of a tracker admits the administrators of the project. */
function sharedGroups(before: readonly GroupId[], after: readonly GroupId[]): readonly GroupId[] {
  const isIn = (list: readonly GroupId[]) => {
    const admitted = new Set([...list, PROJECT_ADMINS]);
    return (group: GroupId): boolean => admits(admitted, group);
  };
  const [kept, staying] = [after.filter(isIn(before)), before.filter(isIn(after))];
  if (kept.length === after.length) return after;
  return staying.length === before.length ? before : [...new Set([...kept, ...staying])];
}

/** Where a default names a user that the file brings in, the one from before; without one, the field is not required yet. */
export function withKnownDefaults(before: readonly Field[], after: readonly Field[]): readonly Field[] {
  const present = new Map(allFields(before).map((field) => [field.id, field]));
  const isKnown = ({ bind, default: value }: Field): boolean => bind !== 'users' || newThingsIn(value).size === 0;
  const known = (field: Field): Field => {
    const whole = field.fields === undefined ? field : { ...field, fields: field.fields.map(known) };
    return isKnown(field) ? whole : withoutDefault(whole, present.get(field.id));
  };
  return allFields(after).every(isKnown) ? after : after.map(known);
}

function withoutDefault(field: Field, before: Field | undefined): Field {
  const { default: value, ...others } = { ...field, default: before?.default };
  if (value !== undefined) return { ...others, default: value };
  return { ...others, required: field.required && before?.required === true };
}
