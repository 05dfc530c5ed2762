/** A tracker's structure in an archive, whole: also the fields that were no longer in use. */
import { type Field, type FieldPermissions } from '../../trackers/field-types/definition.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { valueElement, type LabelsOf } from './value-xml.js';
import { element, elementsOf, textElement, type Xml } from './xml.js';

export function trackerElement(tracker: Omit<TrackerView, 'deleted'>, labelsOf: LabelsOf): Xml {
  const { admins, permissions, semantics, workflow } = tracker;
  const { status, ...fields } = semantics;
  const heading = { id: tracker.id, item_name: tracker.itemName, color: tracker.color, revision: tracker.revision };
  return element('tracker', heading, [
    textElement('label', {}, tracker.label),
    textElement('description', {}, tracker.description),
    element('admins', { users: admins.users, groups: admins.groups }),
    element('permissions', { access: permissions.access, submit: permissions.submit, update: permissions.update }),
    element(
      'fields',
      {},
      elementsOf(tracker.fields, (field) => fieldElement(field, labelsOf)),
    ),
    element('semantics', fields, status === undefined ? [] : [element('status', status)]),
    ...(workflow === null
      ? []
      : [element('workflow', { field: workflow.field }, elementsOf(workflow.transitions, transition))]),
  ]);
}

const transition = ({ id, from, to }: { id: number; from: number | null; to: number }): Xml =>
  element('transition', { id, from, to });

function fieldElement(field: Field, labelsOf: LabelsOf): Xml {
  const { values, fields: inner, default: preset } = field;
  return element('field', fieldAttributes(field), [
    textElement('label', {}, field.label),
    textElement('description', {}, field.description),
    permissionsElement(field.permissions),
    ...(values === undefined ? [] : [element('list_values', {}, elementsOf(values, listValueElement))]),
    ...(preset === undefined ? [] : [valueElement('default', {}, preset, labelsOf(field))]),
    ...(inner === undefined
      ? []
      : [
          element(
            'fields',
            {},
            elementsOf(inner, (each) => fieldElement(each, labelsOf)),
          ),
        ]),
  ]);
}

const fieldAttributes = (field: Field) => ({
  id: field.id,
  name: field.name,
  type: field.type,
  required: field.required,
  used: field.used,
  max_chars: field.maxChars,
  size: field.size,
  rows: field.rows,
  time: field.time,
  bind: field.bind,
  from: field.from,
  max_size: field.maxSize,
});

const permissionsElement = ({ read, submit, update }: FieldPermissions): Xml =>
  element('permissions', { read, submit, update });

const listValueElement = ({ id, label, color, hidden }: NonNullable<Field['values']>[number]): Xml =>
  textElement('list_value', { id, color, hidden }, label);
