import { openItemKey } from '../../trackers/field-types/canonical.js';
import { NONE_VALUE } from '../../trackers/field-types/definition.js';
import { type OpenListValue } from '../../trackers/field-types/field-value.js';

/**
 * The ids that are asked for, None left out: it restricts nothing. Undefined when one of them is no id. With a prefix,
 * ids that carry it count too.
 */
export function listItems(given: unknown, prefix = ''): readonly number[] | undefined {
  const ids = itemsOf(given).map((item) => numericId(unprefixed(item, prefix)));
  return withoutNone(ids, NONE_VALUE);
}

/** No entry is called so: labels are counted from 1. */
const NO_LABEL = 'o0';

/**
 * As the entries of open lists: `b12` for a value of the list, `o7` for one that users added. A number is an id. Any
 * other text is a label, and `labelled` tells the items that it stands for.
 */
export function openListItems(
  given: unknown,
  labelled: (label: string) => readonly OpenListValue[],
  prefix = '',
): readonly string[] | undefined {
  const items = itemsOf(given).flatMap((item): readonly (string | undefined)[] => {
    const id = openListId(unprefixed(item, prefix));
    if (id !== undefined || typeof item !== 'string' || item.trim() === '') return [id];
    const found = labelled(item).map(openItemKey);
    return found.length === 0 ? [NO_LABEL] : found;
  });
  return withoutNone(items, `b${NONE_VALUE}`);
}

function openListId(item: unknown): string | undefined {
  if (typeof item === 'string' && /^[bo]\d{1,15}$/.test(item)) return item;
  const id = numericId(item);
  return id === undefined ? undefined : `b${id}`;
}

const itemsOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);

const unprefixed = (item: unknown, prefix: string): unknown =>
  typeof item === 'string' && item.startsWith(prefix) ? item.slice(prefix.length) : item;

function numericId(item: unknown): number | undefined {
  if (typeof item === 'string' && !/^\d+$/.test(item)) return undefined;
  const id = typeof item === 'string' ? Number(item) : item;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

function withoutNone<T>(items: readonly (T | undefined)[], none: T): readonly T[] | undefined {
  const known = items.filter((item) => item !== undefined);
  return known.length < items.length ? undefined : known.filter((item) => item !== none);
}
