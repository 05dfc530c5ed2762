/** What a label of TQL stands for in a list. */
import { foldText } from '../../core/read-models.js';
import { userGroup } from '../../projects/representation.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { bindingOf, plainLabel, type ListContext } from '../fields/list-values.js';
import { lookupAll } from '../fields/lookup.js';

const folded = (label: string): string => foldText(plainLabel(label));
const valuesOfLabel = lookupAll(({ label }: ListValue) => folded(label));

/** The ids of all values with the label, hidden ones too; case does not count. Empty for a label that the list does not have. */
export function idsLabelled(field: Field, label: string, context: ListContext): readonly number[] {
  switch (field.bind ?? 'static') {
    case 'static':
      return valuesOfLabel(field.values ?? [], folded(label)).map(({ id }) => id);
    case 'users':
      return offeredUser(field, label, context);
    case 'user_groups':
      return groupsNamed(field, label, context);
  }
}

function offeredUser(field: Field, name: string, context: ListContext): readonly number[] {
  const user = context.definitions.userNamed(name);
  return user !== undefined && bindingOf(field).offers(field, user.id, context) ? [user.id] : [];
}

/** By the name or the label of a group that the list offers. */
function groupsNamed({ from = [] }: Field, name: string, { definitions, projectId }: ListContext): readonly number[] {
  const project = definitions.project(projectId);
  if (project === undefined) return [];
  return from.filter((id) => {
    const group = userGroup(project, id);
    return group !== undefined && [group.label, group.short_name].some((each) => folded(each) === folded(name));
  });
}
