/** Random platform files on a small stock of names, so that two of them meet in most of what they list. */
import fc from 'fast-check';
import { type PlatformFile } from '../../src/platform-file/format/platform-schema.js';

/** Whether each member is named, or only those that have to be. */
export type Extent = 'whole' | 'partial';

type Members = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const USERS = ['ada', 'ben', 'cy'];
const GROUPS = ['all_users', 'registered_users', 'project_members', 'project_admins', 'crew'];
const some = (names: readonly string[], least = 0): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(fc.constantFrom(...names), { minLength: least });
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null, freq: 4 });
const words = fc.constantFrom('One', 'Two', 'Three');
const groups = some(GROUPS);
/** With a group that holds each user. */
const offering = groups.map((names) => [...new Set([...names, 'registered_users'])]);

function entity(extent: Extent, required: Members, optional: Members): fc.Arbitrary<object> {
  const members: Members = { ...required, ...optional };
  const requiredKeys = extent === 'whole' ? Object.keys(members) : Object.keys(required);
  return fc.record<Record<string, unknown>>(members, { requiredKeys });
}

/** Entries with any of these keys; a whole file has all but the spare ones, which nothing refers to. */
function entries(
  extent: Extent,
  keys: readonly string[],
  entry: (key: string) => fc.Arbitrary<object>,
  spare: readonly string[] = [],
) {
  const isAlways = (key: string): boolean => extent === 'whole' && !spare.includes(key);
  return fc
    .tuple(...keys.map((key) => (isAlways(key) ? entry(key) : fc.option(entry(key), { nil: undefined, freq: 3 }))))
    .map((items) => items.filter((item) => item !== undefined));
}

const permissions = (extent: Extent, actions: readonly string[]) =>
  orNull(entity(extent, {}, Object.fromEntries(actions.map((action) => [action, orNull(groups)]))));

/** A whole file shows what it refers to. */
const value = (extent: Extent) => (label: string) =>
  entity(
    extent,
    { label: fc.constant(label) },
    {
      color: orNull(fc.constantFrom('', 'fiesta-red')),
      hidden: orNull(extent === 'whole' && label !== 'Lost' ? fc.constant(false) : fc.boolean()),
    },
  );

/** `New` and `Done` are always there for what refers to them. */
const values = (extent: Extent) =>
  fc.boolean().chain((more) => fc.tuple(...['New', 'Done', ...(more ? ['Lost'] : [])].map(value(extent))));

const SPECIFICS: Readonly<Record<string, (extent: Extent) => Members>> = {
  string: () => ({
    max_chars: orNull(fc.constantFrom(0, 30)),
    size: orNull(fc.integer({ min: 1, max: 9 })),
    default: orNull(words),
  }),
  text: () => ({ rows: orNull(fc.integer({ min: 1, max: 9 })), default: orNull(words) }),
  int: () => ({ default: orNull(fc.integer({ min: -9, max: 9 })) }),
  float: () => ({ default: orNull(fc.constantFrom(-0.5, 1)) }),
  date: () => ({ time: orNull(fc.constant(false)), default: orNull(fc.constantFrom('2024-02-29', '2025-01-01')) }),
  sb: (extent) => ({
    bind: orNull(fc.constant('static')),
    values: values(extent),
    default: orNull(fc.constantFrom('New', 'Done')),
  }),
  msb: (extent) => ({ values: values(extent), default: orNull(some(['New', 'Done'])) }),
  cb: () => ({ bind: fc.constant('users'), from: offering, default: orNull(some(USERS)) }),
  tbl: (extent) => ({ values: values(extent), default: orNull(some(['New', 'Done'])) }),
  file: () => ({ max_size: orNull(fc.integer({ min: 1, max: 9 })) }),
  perm: () => ({ default: orNull(groups) }),
  art_link: () => ({}),
  computed: () => ({ default: orNull(fc.integer({ min: -9, max: 9 })) }),
  subon: () => ({}),
};

const NO_INPUT: readonly string[] = ['computed', 'subon', 'fieldset'];
const INNER_FIELDS: readonly string[] = ['string', 'sb', 'perm'];
const SPARE_FIELDS = ['int', 'float', 'date', 'file', 'subon'];
const OUTER_FIELDS = [...Object.keys(SPECIFICS).filter((type) => !INNER_FIELDS.includes(type)), 'fieldset'];

/** Named after its type. Bound lists keep their `bind` and `from`, which a new one needs. */
const field =
  (extent: Extent) =>
  (type: string): fc.Arbitrary<object> => {
    const { bind, from, ...specifics }: Members = SPECIFICS[type]?.(extent) ?? {
      fields: entries(extent, INNER_FIELDS, field(extent)),
    };
    return entity(
      extent,
      {
        name: fc.constant(type),
        label: words,
        type: fc.constant(type),
        ...(from && bind && { bind, from }),
      },
      {
        description: orNull(words),
        permissions: permissions(extent, ['read', 'submit', 'update']),
        ...(!NO_INPUT.includes(type) && { required: orNull(fc.boolean()) }),
        ...(bind && !from && { bind }),
        ...specifics,
      },
    );
  };

const semantics = (extent: Extent) =>
  entity(
    extent,
    {},
    {
      title: orNull(fc.constantFrom('string', 'text')),
      description: orNull(fc.constantFrom('string', 'text')),
      status: orNull(fc.record({ field: fc.constantFrom('sb', 'msb'), open: some(['New', 'Done']) })),
      contributor: orNull(fc.constant('cb')),
    },
  );

const transition = fc.tuple(fc.constantFrom(null, 'New', 'Done'), fc.constantFrom('New', 'Done'));
const FIRST: [null, string] = [null, 'New'];
const workflow = fc.record({
  field: fc.constant('sb'),
  transitions: fc
    .uniqueArray(transition, { selector: (ends) => ends.join() })
    // Without a first transition no artifact can be created.
    .map((others) => (others.some(([from]) => from === null) ? others : [FIRST, ...others])),
});

const QUERIES = ['', 'string = "One"', 'sb != "Done" AND text = ""', 'cb = MYSELF() OR WITH CHILD'];

/** The default is the first. */
const reports = (extent: Extent) =>
  fc
    .tuple(
      entries(extent, ['Mine', 'Theirs'], (name) =>
        entity(
          extent,
          { name: fc.constant(name) },
          { public: orNull(fc.boolean()), query: orNull(fc.constantFrom(...QUERIES)) },
        ),
      ),
      orNull(fc.boolean()),
    )
    .map(([list, first]) => list.map((report, turn) => ({ ...report, default: turn === 0 ? first : false })));

const tracker = (extent: Extent) => (name: string) =>
  entity(
    extent,
    { item_name: fc.constant(name), label: words, fields: entries(extent, OUTER_FIELDS, field(extent), SPARE_FIELDS) },
    {
      description: orNull(words),
      color_name: orNull(fc.constantFrom('fiesta-red', 'inca-silver')),
      admins: orNull(some([...USERS, 'crew'])),
      permissions: permissions(extent, ['access', 'submit', 'update']),
      semantics: orNull(semantics(extent)),
      workflow: orNull(workflow),
      reports: orNull(reports(extent)),
    },
  );

const group = (extent: Extent) => (name: string) =>
  entity(extent, { short_name: fc.constant(name), label: words }, { members: orNull(some(USERS)) });

const status = orNull(fc.constantFrom('active', 'suspended'));

const project = (extent: Extent) => (name: string) =>
  entity(
    extent,
    { shortname: fc.constant(name), label: words },
    {
      description: orNull(words),
      access: orNull(fc.constantFrom('public', 'private')),
      status,
      admins: orNull(some(USERS)),
      members: orNull(some(USERS)),
      user_groups: entries(extent, ['crew', 'extra'], group(extent), ['extra']),
      svn: orNull(fc.boolean()),
      trackers: entries(extent, ['bug', 'task'], tracker(extent), ['task']),
    },
  );

const user = (extent: Extent) => (username: string) =>
  entity(
    extent,
    { username: fc.constant(username), real_name: words, email: fc.constant('a@example.org') },
    { site_admin: orNull(fc.boolean()), status },
  );

const settings = (extent: Extent) =>
  entity(
    extent,
    {},
    {
      anonymous_access: orNull(fc.boolean()),
      artifact_deletion_limit: orNull(fc.integer({ min: 0, max: 9 })),
      archive_deleted_artifacts: orNull(fc.boolean()),
    },
  );

/** As a person writes it: to be parsed. The users of a whole one have passwords. */
export function platformFile(extent: Extent): fc.Arbitrary<PlatformFile> {
  const withPassword = (name: string) => user(extent)(name).map((entry) => ({ ...entry, password: 'secret' }));
  return entity(
    extent,
    {},
    {
      settings: orNull(settings(extent)),
      users: entries(extent, USERS, extent === 'whole' ? withPassword : user(extent)),
      projects: entries(extent, ['lab', 'mill'], project(extent), ['mill']),
    },
  );
}
