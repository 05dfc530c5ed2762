/** Values as source text that says each part once: what comes again is a constant. */
interface Source {
  /** The declarations, each after those that it names. */
  readonly constants: string;
  readonly value: string;
}

/** Of JSON: a shorter part is rather read where it stands. */
const FEWEST_LINES = 8;

export function sourceOf(whole: object): Source {
  const repeated = repeatedIn(whole);
  const names = new Map<string, string>();
  const constants: string[] = [];
  const written = (value: unknown, member: string, indent: string): string => {
    if (!isObject(value)) return JSON.stringify(value);
    const json = JSON.stringify(value);
    const known = names.get(json);
    if (known !== undefined || !repeated.has(json)) return known ?? parts(value, member, indent);
    const name = `${member}${names.size + 1}`;
    names.set(json, name);
    constants.push(`const ${name} = ${parts(value, member, '')};\n`);
    return name;
  };
  const parts = (value: object, member: string, indent: string): string => {
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    const inner = Object.entries(value).map(([name, part]: [string, unknown]) =>
      Array.isArray(value)
        ? written(part, member, `${indent} `)
        : `${JSON.stringify(name)}: ${written(part, /^[a-z]\w*$/i.test(name) ? name : member, `${indent} `)}`,
    );
    if (inner.length === 0) return `${open}${close}`;
    return `${open}\n${inner.map((part) => `${indent} ${part}`).join(',\n')}\n${indent}${close}`;
  };
  const value = parts(whole, 'part', '');
  return { constants: constants.join('\n'), value };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** As JSON. What stands within a part that is repeated is looked at once. */
function repeatedIn(whole: object): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const look = (value: unknown): void => {
    if (!isObject(value)) return;
    const json = JSON.stringify(value);
    const isLong = JSON.stringify(value, null, 1).split('\n').length >= FEWEST_LINES;
    if (seen.has(json) && isLong) repeated.add(json);
    else Object.values(value).forEach(look);
    seen.add(json);
  };
  look(whole);
  return repeated;
}
