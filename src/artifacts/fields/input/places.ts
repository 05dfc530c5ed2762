/** Where in a request the values of fields stand, if anywhere. */
import { type Field } from '../../../trackers/field-types/definition.js';
import { isGiven, type FieldInput, type WriteContext } from '../field-input.js';

/** Of a field that is not in the request, or of all fields together (null), the member with all values. */
export type PlaceOf = (fieldId: number | null) => string;

export const anyPlace: PlaceOf = () => '/values';

interface Element {
  readonly field: Pick<Field, 'id' | 'type'>;
  readonly input: FieldInput;
  readonly pointer: string;
}

/** `all` is the member with all values. An element with this pointer stands nowhere else. */
export const placesIn =
  (elements: readonly Element[], all: string): PlaceOf =>
  (fieldId) => {
    const element = elements.find(({ field }) => field.id === fieldId);
    return element === undefined || element.pointer === all ? all : `${element.pointer}${contentPlace(element.input)}`;
  };

/** The members besides `value` that may hold what is written. */
const CONTENT = [
  'bind_value_ids',
  'links',
  'parent',
  'all_links',
  'manual_value',
  'is_autocomputed',
  'granted_groups_ids',
  'file_descriptions',
];

/** At creation `"value": null` says no more than leaving the field out. `"manual_value": null` empties a computed field. */
export function saysNothing({ field, input }: Pick<Element, 'field' | 'input'>, { artifact }: WriteContext): boolean {
  if (artifact !== undefined || input['value'] !== null) return false;
  const isEmptied = field.type === 'computed' && input['manual_value'] === null;
  return !isEmptied && !CONTENT.some((member) => isGiven(input[member]));
}

/** Empty if there are several: the field's type decides which of them counts. */
function contentPlace(input: FieldInput): string {
  const [only, another] = ['value', ...CONTENT].filter((member) => Object.hasOwn(input, member));
  return only === undefined || another !== undefined ? '' : `/${only}`;
}
