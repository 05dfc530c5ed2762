/** Values of fields in an archive, from their canonical form. */
import {
  type ComputedValue,
  type DateValue,
  type FieldValue,
  type Link,
  type OpenListValue,
  type TextValue,
} from '../../trackers/field-types/field-value.js';
import { isList } from '../../trackers/field-types/canonical.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { element, elementsOf, textElement, type Xml } from './xml.js';

/** The name of a user, who keeps it for ever. */
export type UsernameOf = (userId: number) => string | undefined;

type Item = number | Link | OpenListValue;

/** An element that holds a value; without any content when it was cleared. */
export function valueElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  value: FieldValue,
  labelOf: LabelOf,
): Xml {
  if (value === null) return element(name, { ...attributes, empty: true });
  if (typeof value === 'number') return textElement(name, attributes, String(value));
  if (typeof value === 'string') return textElement(name, attributes, value);
  if (isList(value)) {
    return element(
      name,
      attributes,
      elementsOf<Item>(value, (item) => itemElement(item, labelOf)),
    );
  }
  return recordElement(name, attributes, value);
}

function recordElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  value: TextValue | DateValue | ComputedValue,
): Xml {
  if ('text' in value) return textElement(name, { ...attributes, format: value.format }, value.text);
  if ('date' in value) return textElement(name, attributes, value.date);
  if ('manual' in value) return textElement(name, attributes, String(value.manual));
  return element(name, { ...attributes, auto: true });
}

function itemElement(item: Item, labelOf: LabelOf): Xml {
  if (typeof item === 'number') return textElement('item', { id: item }, labelOf(item) ?? '');
  if ('id' in item) return element('item', { id: item.id, type: item.type });
  if ('bound' in item) return textElement('item', { id: item.bound }, labelOf(item.bound) ?? '');
  return textElement('item', { number: item.open }, item.label);
}

type LabelOf = (id: number) => string | undefined;

/** What the items of a list field are called. Of groups and files only the ids are kept. */
export type LabelsOf = (field: Field | undefined) => LabelOf;

/** The labels of a field are looked through once. */
export function labelsIn(usernameOf: UsernameOf): LabelsOf {
  const known = new Map<Field | undefined, LabelOf>();
  return (field) => {
    const labelOf = known.get(field) ?? labelling(field, usernameOf);
    known.set(field, labelOf);
    return labelOf;
  };
}

function labelling(field: Field | undefined, usernameOf: UsernameOf): LabelOf {
  if (field?.bind === 'users') return usernameOf;
  const labels = new Map((field?.values ?? []).map(({ id, label }) => [id, label]));
  return (id) => labels.get(id);
}
