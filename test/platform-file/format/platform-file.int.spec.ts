import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { InvalidPlatformFile } from '../../../src/platform-file/format/file-error.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { platformSchema } from '../../../src/platform-file/format/platform-schema.js';
import { EVERY_FIELD } from '../examples.js';

/** `line pointer message` of each error. */
function errorsOf(text: string): readonly string[] {
  try {
    parsePlatformFile(text);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidPlatformFile)) throw error;
    return error.errors.map(({ line, pointer, message }) => `${line} ${pointer} ${message}`);
  }
}

const withField = (field: string): string => `projects:
  - shortname: lab
    label: Lab
    trackers:
      - item_name: thing
        label: Things
        fields:
          - ${field}`;

const TYPES =
  'use one of fieldset, column, sb, rb, msb, cb, tbl, string, text, int, float, date, file, perm, art_link, computed, ' +
  'aid, atid, subon, subby, lud, luby';

describe('a platform file', () => {
  it('is YAML or JSON', () => {
    const json = JSON.stringify({ users: [{ username: 'a', real_name: 'A', email: 'a@b', password: 'x' }] });
    expect(parsePlatformFile(json).file.users).to.have.length(1);
    expect(parsePlatformFile(EVERY_FIELD).file.projects).to.have.length(1);
  });

  it('has a schema that is valid itself', () => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(platformSchema), ajv.errorsText()).to.equal(true);
  });

  it('compares the items of a list by pairs nowhere: unique items are texts', () => {
    const itemsOfUnique: unknown[] = [];
    JSON.stringify(platformSchema, (_, part: { readonly uniqueItems?: unknown; readonly items?: unknown } | null) => {
      if (part?.uniqueItems !== undefined) itemsOfUnique.push(part.items);
      return part;
    });
    expect(itemsOfUnique).not.to.deep.equal([]);
    for (const items of itemsOfUnique) expect(items).to.deep.equal({ type: 'string' });
  });

  it('says nothing of what it leaves out, and may say null where there is a default', () => {
    const { file } = parsePlatformFile(withField('{ name: a, label: A, type: sb, values: [{ label: x }] }'));
    expect(file).to.deep.equal({
      projects: [
        {
          shortname: 'lab',
          label: 'Lab',
          trackers: [
            {
              item_name: 'thing',
              label: 'Things',
              fields: [{ name: 'a', label: 'A', type: 'sb', values: [{ label: 'x' }] }],
            },
          ],
        },
      ],
    });
    expect(errorsOf('settings: { anonymous_access: null }')).to.deep.equal([]);
    expect(errorsOf(withField('{ name: a, label: A, type: sb, bind: null, default: null }'))).to.deep.equal([]);
    expect(errorsOf(withField('{ name: a, label: null, type: sb }'))).to.deep.equal([
      '8 /projects/0/trackers/0/fields/0/label is empty; it has to be a text',
    ]);
    expect(errorsOf('users: null')).to.deep.equal(['1 /users is empty; it has to be a list']);
  });

  it('names line and pointer of every error', () => {
    const text = `settings:
  anonymous_access: perhaps
users:
  - username: alice
    real_name: Alice
    shoe_size: 40
projects:
  - { shortname: a b, label: A }
`;
    expect(errorsOf(text)).to.deep.equal([
      '2 /settings/anonymous_access "perhaps" has to be true or false',
      '4 /users/0/email is missing',
      '6 /users/0/shoe_size is unknown; known are username, real_name, email, password, password_env, site_admin, status',
      '8 /projects/0/shortname "a b" is not allowed; use a letter or digit, then letters, digits, "_" and "-"',
    ]);
  });

  it('knows the members of each type of field', () => {
    expect(errorsOf(withField('{ name: a, label: A, type: spinner }'))).to.deep.equal([
      `8 /projects/0/trackers/0/fields/0/type "spinner" is no type of field; ${TYPES}`,
    ]);
    expect(errorsOf(withField('{ name: a, label: A }'))).to.deep.equal([
      `8 /projects/0/trackers/0/fields/0/type is missing; ${TYPES}`,
    ]);
    expect(errorsOf(withField('{ name: a, label: A, type: string, fields: [] }'))).to.deep.equal([
      '8 /projects/0/trackers/0/fields/0/fields is unknown; known are type, name, label, description, permissions, required, max_chars, size, default',
    ]);
    expect(errorsOf(withField('{ name: a, label: A, type: sb, bind: stars }'))).to.deep.equal([
      '8 /projects/0/trackers/0/fields/0/bind "stars" is not known; use one of static, users, user_groups',
    ]);
  });

  it('has each member once', () => {
    expect(errorsOf('users: []\nusers: []')).to.deep.equal(['2  Column 1: A member is named twice']);
  });

  it('is one document without tags of its own', () => {
    expect(errorsOf('users: []\n---\nusers: []')[0]).to.match(/^2 .*several documents/);
    expect(errorsOf('users: !people []')[0]).to.match(/^1 .*tag is not known/);
    expect(errorsOf('')).to.deep.equal(['1  The file is empty']);
    expect(errorsOf('users: {')[0]).to.match(/^1 /);
  });

  it('has no tags of other schemas: their members would not be checked', () => {
    for (const text of ['users: !!omap [a: 1]', 'users: !!set {a}', 'settings: !!binary aGk=']) {
      expect(errorsOf(text)[0]).to.match(/^1 .*tag is not known/);
      expect(errorsOf(`%YAML 1.1\n---\n${text}`)[0]).to.match(/^3 .*tag is not known/);
    }
    expect(errorsOf('users: !!seq []')).to.deep.equal([]);
  });

  it('has no -0, which the log cannot hold', () => {
    const text = withField('{ name: a, label: A, type: float, default: -0.0 }');
    const [tracker] = parsePlatformFile(text).file.projects?.[0]?.trackers ?? [];
    expect(tracker?.fields[0])
      .to.have.property('default')
      .which.satisfies((value: unknown) => Object.is(value, 0));
  });

  it('has at most 32 fieldsets within each other', () => {
    const nested = (depth: number): object =>
      depth === 0
        ? { name: 'a', label: 'A', type: 'sb', values: [{ label: 'x' }], permissions: { read: [] } }
        : { name: `f${depth}`, label: 'F', type: 'fieldset', fields: [nested(depth - 1)] };
    const errorsAt = (depth: number) => errorsOf(withField(JSON.stringify(nested(depth))));
    expect(errorsAt(32)).to.deep.equal([]);
    const pointer = `/projects/0/trackers/0${'/fields/0'.repeat(33)}/fields`;
    const mistake = `8 ${pointer} is nested too deeply: at most 32 fieldsets or columns are within each other`;
    for (const depth of [33, 70, 200]) expect(errorsAt(depth)).to.deep.equal([mistake]);
    expect(errorsAt(2000)[0]).to.match(/^8 .*nested too deeply/);
  });

  it('may repeat itself by an alias, but not endlessly', () => {
    expect(errorsOf('users: &none []\nprojects: *none')).to.deep.equal([]);
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [name, inner] of ['ba', 'cb', 'dc', 'ed']) {
      bomb.push(`${name ?? ''}: &${name ?? ''} [${Array.from({ length: 10 }, () => `*${inner ?? ''}`).join(', ')}]`);
    }
    expect(errorsOf(bomb.join('\n'))[0]).to.match(/alias/);
    expect(errorsOf('users: *nobody')[0]).to.match(/alias/);
  });

  it('may not be far larger once its aliases are replaced, nor hold itself', () => {
    const refused = /^1 {2}The file is larger than 128 MiB once its aliases are replaced/;
    const project = (name: string, description: string): string =>
      `  - { shortname: ${name}, label: X, description: ${description} }\n`;
    const repeated = (times: number): string =>
      `projects:\n${project('first', `&text ${'x'.repeat(200_000)}`)}` +
      Array.from({ length: times }, (_, n) => project(`p${n}`, '*text')).join('');
    // The text itself is too long, too, which is found afterwards.
    expect(errorsOf(repeated(600))[0]).to.match(/longer than 65535 characters/);
    expect(errorsOf(repeated(700))).to.have.length(1);
    expect(errorsOf(repeated(700))[0]).to.match(refused);
    expect(errorsOf('users: &all [*all]')[0]).to.match(refused);
  });

  it('tells where an aliased entry is wrong', () => {
    const text = `projects:
  - shortname: lab
    label: Lab
    trackers:
      - { item_name: a, label: A, fields: &form [{ name: x, label: X, type: nothing }] }
      - { item_name: b, label: B, fields: *form }`;
    expect(errorsOf(text).map((error) => error.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      '5 /projects/0/trackers/0/fields/0/type',
      '5 /projects/0/trackers/1/fields/0/type',
    ]);
  });

  it('is refused above 16 MiB, and when nested out of all proportion', () => {
    expect(errorsOf(' '.repeat(16 * 1024 * 1024 + 1))).to.deep.equal(['1  The file is larger than 16 MiB']);
    expect(errorsOf('['.repeat(20_000))).to.not.deep.equal([]);
  });

  it('is refused in few words, however long the text is that is wrong', () => {
    const long = 'x'.repeat(300_000);
    for (const text of [`projects: ["${long}"]`, `projects: "${long}"`, `{"${long}": 1}`]) {
      expect(() => parsePlatformFile(text))
        .to.throw(InvalidPlatformFile)
        .with.property('message')
        .that.has.length.below(20_000)
        .and.includes('line 1');
    }
  });
});
