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
import { element, textElement, type Xml } from './xml.js';

/** The name of a user, who keeps it for ever. */
export type UsernameOf = (userId: number) => string | undefined;

type Item = number | Link | OpenListValue;

/** An element that holds a value; without any content when it was cleared. */
export function valueElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  value: FieldValue,
  labelOf: (id: number) => string | undefined,
): Xml {
  if (value === null) return element(name, { ...attributes, empty: true });
  if (typeof value === 'number') return textElement(name, attributes, String(value));
  if (typeof value === 'string') return textElement(name, attributes, value);
  if (isList(value))
    return element(
      name,
      attributes,
      Array.from<Item, Xml>(value, (item) => itemElement(item, labelOf)),
    );
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

function itemElement(item: Item, labelOf: (id: number) => string | undefined): Xml {
  if (typeof item === 'number') return textElement('item', { id: item }, labelOf(item) ?? '');
  if ('id' in item) return element('item', { id: item.id, type: item.type });
  if ('bound' in item) return textElement('item', { id: item.bound }, labelOf(item.bound) ?? '');
  return textElement('item', { number: item.open }, item.label);
}

/** What the items of a list field are called. Of groups and files only the ids are kept. */
export function labelsOf(field: Field | undefined, usernameOf: UsernameOf): (id: number) => string | undefined {
  if (field?.bind === 'users') return usernameOf;
  const labels = new Map((field?.values ?? []).map(({ id, label }) => [id, label]));
  return (id) => labels.get(id);
}
