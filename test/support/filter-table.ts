/** `npm run filters`: writes into docs/filters.md what the fields of each type take, after a change of that. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SEARCHABLE } from '../../src/artifacts/filter/condition.js';
import { SORTABLE } from '../../src/artifacts/filter/order.js';
import { SEARCHABLE as IN_TQL } from '../../src/artifacts/tql/comparison.js';
import { type FieldType } from '../../src/trackers/field-types/definition.js';

export const FILTERS_PAGE = fileURLToPath(new URL('../../docs/filters.md', import.meta.url));
const TABLE = /(?<=<!-- what each type takes: npm run filters -->\n)[^]*(?=<!-- end -->)/;
const HEAD = ['Type of field', 'Operators', 'Value', 'Sorts', 'Operators in TQL'];

/** The page with the table that it should have. */
export function filtersPage(): string {
  return readFileSync(FILTERS_PAGE, 'utf8').replace(TABLE, () => `\n${table()}\n\n`);
}

/** Types that take the same stand in one row. */
function table(): string {
  const declared = [SEARCHABLE, IN_TQL].flatMap((each) => Object.keys(each) as FieldType[]);
  const types = [...new Set([...declared, ...SORTABLE])];
  const rows = [...new Set(types.map(cellsOf))].map((cells) => {
    const alike = types.filter((type) => cellsOf(type) === cells);
    return `${codes(alike)} | ${cells}`;
  });
  return [HEAD.join(' | '), HEAD.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

function cellsOf(type: FieldType): string {
  const { operators = [], takes = '' } = SEARCHABLE[type] ?? {};
  const sorts = SORTABLE.includes(type) ? 'yes' : 'no';
  return [codes(operators), takes, sorts, codes(IN_TQL[type]?.operators ?? [])].join(' | ');
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILTERS_PAGE, filtersPage());
