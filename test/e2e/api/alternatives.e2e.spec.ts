import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { runService } from '../../support/service.js';
import { bodyOf } from './shapes.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Json = Readonly<Record<string, unknown>>;

const LINK = { id: 7, type: '' };
const SET = { manual_value: 3, is_autocomputed: false };

/** What clients write, without the field. */
const VALUES: readonly Json[] = [
  { value: 'Pump', format: 'text' },
  { value: 5 },
  { value: { content: 'Pump', format: 'html' } },
  SET,
  { is_autocomputed: true },
  { is_autocomputed: false, manual_value: null },
  { ...SET, is_autocomputed: null },
  { value: null },
];
const ELEMENTS: readonly Json[] = [
  ...VALUES,
  { value: { bind_value_objects: [{ label: 'urgent' }] } },
  { bind_value_ids: [101, 'o7'] },
  { links: [LINK], parent: { id: 8 } },
  { links: [LINK] },
  { parent: { id: 8 } },
  { all_links: [{ ...LINK, direction: 'reverse' }] },
  { value: { granted_groups: ['101_3'], is_used_by_default: true } },
  { value: { granted_groups: ['101_3'], is_used_by_default: null } },
  { value: { is_used_by_default: false } },
  { value: [101, 102] },
  { type: 'perm', label: 'Readers', granted_groups: ['Members'], granted_groups_ids: ['101_3'] },
];

describe('alternatives in the description of the API', () => {
  const ajv = new Ajv2020({ strict: false });
  let schemas: Readonly<Record<string, Schema>>;
  let described: object;
  before(async () => {
    formats.default(ajv);
    const api = await runService({ platform: '{}' });
    described = bodyOf<object>(await api.get('/openapi.json'));
    await api.stop();
    ({ schemas } = (described as { components: { schemas: Readonly<Record<string, Schema>> } }).components);
    for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, `#/components/schemas/${name}`);
  });

  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split('/').at(-1)!]!);

  const flat = (schema: Schema): readonly Schema[] => resolved(schema).anyOf?.flatMap(flat) ?? [resolved(schema)];

  /** Clients of openapi-generator read null for a member that is absent, and a list for what has parts. */
  function part(json: Json, name: string, schema: Schema): unknown {
    const value = json[name] ?? null;
    return schema.type === 'array' && value !== null && !Array.isArray(value) ? Object.keys(value) : value;
  }

  /** The members that the first alternative keeps. */
  function read(json: Json, alternatives: Schema): object | undefined {
    for (const { properties = {}, required = [], ...schema } of flat(alternatives)) {
      const names = Object.keys(properties).filter((name) => name in json || required.includes(name));
      const kept = Object.fromEntries(names.map((name) => [name, part(json, name, properties[name]!)]));
      if (ajv.validate({ ...schema, properties, required }, kept)) return kept;
    }
    return undefined;
  }

  it('keep what an element of values holds, if the first one that fits is read', () => {
    for (const each of ELEMENTS.map((element) => ({ field_id: 5, ...element }))) {
      expect(read(each, schemas['WrittenElement']!), JSON.stringify(each)).to.deep.equal(each);
    }
  });

  it('keep what a value by field name holds, if the first one that fits is read', () => {
    const [[, anyOf] = []] = alternativesIn(described).filter(([place]) => /values_by_field.*roperties$/.test(place));
    for (const each of VALUES) expect(read(each, { anyOf: anyOf! }), JSON.stringify(each)).to.deep.equal(each);
  });

  /** Every list of alternatives, and its place. */
  const alternativesIn = (part: unknown, place = ''): readonly (readonly [string, readonly Schema[]])[] =>
    typeof part !== 'object' || part === null
      ? []
      : Object.entries(part).flatMap(([name, inner]) => [
          ...(name === 'anyOf' ? [[place, inner as readonly Schema[]] as const] : []),
          ...alternativesIn(inner, `${place}/${name}`),
        ]);

  it('have one array at most, whose items have no alternatives', () => {
    const found = alternativesIn(described);
    expect(found).to.have.length.greaterThan(20);
    for (const [place, alternatives] of found) {
      const arrays = alternatives.map(resolved).filter(({ type }) => type === 'array');
      expect(arrays, place).to.have.length.below(2);
      for (const { items = {} } of arrays) expect(resolved(items), place).not.to.have.property('anyOf');
    }
  });

  it('have no map, of which generators make no class', () => {
    for (const [place, alternatives] of alternativesIn(described)) {
      for (const each of alternatives.flatMap((one) => [resolved(one), resolved(resolved(one).items ?? {})])) {
        if (typeof each.additionalProperties === 'object') expect(each, place).to.have.property('properties');
      }
    }
  });

  it('stand beside no allOf', () => {
    expect(JSON.stringify(described)).not.to.include('"allOf"');
  });
});
