/** file: which files are attached. */
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { itemsFault } from './value-bounds.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import {
  currentValue,
  idFrom,
  isGiven,
  isObject,
  NOTHING,
  readAll,
  shown,
  submittedValue,
  type FieldInput,
  type Parse,
} from './field-input.js';

/** Whether the files exist and may be attached is not known yet. */
export const parseFiles: Parse<readonly number[]> = (field, input, context) => {
  const value = asRead(input) ?? submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (value === null) return [];
  if (!Array.isArray(value)) return context.refuse('/value', 'takes an array of ids of files');
  const tooMany = itemsFault(value.length, numbersOf(currentValue(field, context)).length);
  if (tooMany !== undefined) return context.refuse('/value', tooMany);
  const ids = readAll(
    value,
    (item, index) => idFrom(item) ?? context.refuse(`/value/${index}`, `takes the id of a file, not ${shown(item)}`),
  );
  return ids === NOTHING ? NOTHING : [...new Set(ids)];
};

/** Undefined unless a client sends back what it has read. */
function asRead({ value, file_descriptions: files }: FieldInput): readonly unknown[] | undefined {
  if (isGiven(value) || !Array.isArray(files)) return undefined;
  return files.map((file: unknown) => (isObject(file) ? file['id'] : file));
}

/** The members of a file field's representation. */
export const fileParts = (value: FieldValue, describe: (id: number) => object | undefined) => ({
  file_descriptions: numbersOf(value).flatMap((id) => describe(id) ?? []),
});
