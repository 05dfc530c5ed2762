/** Schemas as OpenAPI 3.1 has them: JSON Schema 2020-12, and each schema that has a title only once. */
import { type SchemaObject } from 'ajv';

export interface Components {
  /** A schema with a title becomes a component, and this a reference to it. */
  readonly published: (schema: unknown) => unknown;
  readonly schemas: () => Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

/** They hold values, of which no member is a word of schemas. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

export function components(): Components {
  const known = new Map<string, { readonly json: string; readonly schema: unknown }>();

  function published(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(published);
    if (!isSchema(schema)) return schema;
    const { title, published: instead, allOf, ...members }: Members = schema;
    if (instead !== undefined) return published(instead);
    if (Array.isArray(allOf) && allOf.length === 1) return { ...members, ...(published(allOf[0]) as object) };
    const rest = { ...members, ...(allOf !== undefined && { allOf }) };
    return typeof title === 'string' ? reference(title, rest) : plain(rest);
  }

  /** `nullable` is a word of ajv, not of JSON Schema. */
  function plain({ nullable, ...members }: SchemaObject): SchemaObject {
    const made: SchemaObject = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, part(name, member)]),
    );
    return generable(nullable === true ? { ...made, type: [made['type'], 'null'].flat() } : made);
  }

  function part(name: string, member: unknown): unknown {
    if (VALUES.has(name)) return member;
    if (name === 'anyOf') return (member as readonly unknown[]).map((each) => (isNull(each) ? each : published(each)));
    return name === 'properties' ? each(member) : published(member);
  }

  /** Names of members are no words of schemas. */
  const each = (properties: unknown): object =>
    Object.fromEntries(Object.entries(Object(properties) as object).map(([name, schema]) => [name, published(schema)]));

  function reference(title: string, members: SchemaObject): SchemaObject {
    const json = JSON.stringify(members);
    const earlier = known.get(title);
    if (earlier !== undefined && earlier.json !== json) throw new Error(`Two schemas have the title ${title}`);
    if (earlier === undefined) {
      known.set(title, { json, schema: {} });
      known.set(title, { json, schema: plain(members) });
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  const sorted = () => [...known].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    published,
    schemas: () => Object.fromEntries(sorted().map(([title, { schema }]) => [title, schema])),
  };
}

/**
 * Generators of clients take `null` for a type only beside others, and an integer without a format for one of 32 bits. They
 * refuse a list of types, other than one type and null.
 */
function generable(schema: SchemaObject): SchemaObject {
  const { type, ...others }: Members = schema;
  if (type === 'null') return { const: null, ...others };
  const types = [type].flat();
  if (types.filter((each) => each !== 'null').length > 1) return branches(types as readonly string[], others);
  return types.includes('integer') ? { type, ...INTEGER, ...others } : schema;
}

const INTEGER = { format: 'int64' };

/** A branch for each type, with the words for numbers or texts. All other words hold for each branch. */
function branches(types: readonly string[], { minimum, maximum, pattern, ...others }: Members): SchemaObject {
  const words: Readonly<Record<string, object>> = {
    integer: { ...INTEGER, minimum, maximum },
    number: { minimum, maximum },
    string: { pattern },
  };
  return { ...others, anyOf: types.map((type) => ({ type, ...words[type] })) };
}

const isNull = (schema: unknown): boolean => isSchema(schema) && schema['type'] === 'null';

const isSchema = (schema: unknown): schema is SchemaObject => typeof schema === 'object' && schema !== null;
