/** What a file makes of an exported platform, worked out on the exports alone. */
interface Members {
  readonly [name: string]: unknown;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): Members => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(membersOf) : []);

const SETTINGS: Members = {
  anonymous_access: true,
  artifact_deletion_limit: 0,
  archive_deleted_artifacts: false,
};
const TRACKER_PERMISSIONS: Members = {
  access: ['all_users'],
  submit: ['registered_users'],
  update: ['project_members'],
};
const FIELD_PERMISSIONS: Members = { read: ['all_users'], submit: null, update: null };
const SEMANTICS: Members = { title: null, description: null, status: null, contributor: null };
const INPUT: Members = { required: false, default: null };
const LIST: Members = { ...INPUT, bind: 'static', values: [] };
const BY_TYPE: Readonly<Record<string, Members>> = {
  string: { ...INPUT, max_chars: null, size: null },
  text: { ...INPUT, rows: null },
  int: INPUT,
  float: INPUT,
  date: { ...INPUT, time: false },
  sb: LIST,
  msb: LIST,
  tbl: LIST,
  cb: { ...INPUT, bind: 'static' },
  perm: INPUT,
  file: { required: false, max_size: null },
  art_link: { required: false },
  computed: { default: null },
};

/** A platform as it is exported, but for the order of its lists. */
export function expectedAfter(present: unknown, file: unknown, prune: boolean): Members {
  const before = membersOf(present);
  const named = membersOf(file);
  const retired = (entry: Members): Members => ({ ...entry, status: 'suspended' });
  return {
    settings: overlaid(before['settings'], named['settings'], SETTINGS),
    artifact_link_types: before['artifact_link_types'],
    users: keyed(before['users'], named['users'], 'username', userAfter, prune && retired),
    projects: keyed(
      before['projects'],
      named['projects'],
      'shortname',
      (was, entry) => projectAfter(was, entry, prune),
      prune && retired,
    ),
  };
}

/** Undefined: as it was; null, or new: the default. */
function overlaid(present: unknown, named: unknown, defaults: Members): Members {
  const before = membersOf(present);
  const said = (name: string): unknown => (named === null ? null : membersOf(named)[name]);
  const after = Object.keys(defaults).map((name) => {
    const value = said(name) === undefined ? before[name] : said(name);
    return [name, value ?? defaults[name]];
  });
  return { ...membersOf(named), ...Object.fromEntries(after) };
}

/** Without pruning, what is left out stays. */
function keyed(
  present: unknown,
  named: unknown,
  key: string,
  after: (present: Members | undefined, named: Members) => Members,
  retired: ((entry: Members) => Members | undefined) | false,
): readonly Members[] {
  const before = listOf(present);
  if (named === undefined) return before;
  const entries = listOf(named);
  const listed = entries.map((entry) =>
    after(
      before.find((candidate) => candidate[key] === entry[key]),
      entry,
    ),
  );
  const leftOut = before.filter((candidate) => entries.every((entry) => entry[key] !== candidate[key]));
  const rest = retired === false ? leftOut : leftOut.map(retired).filter((entry) => entry !== undefined);
  return [...listed, ...rest];
}

function userAfter(before: Members | undefined, entry: Members): Members {
  return overlaid(before, entry, { site_admin: false, status: 'active' });
}

function projectAfter(before: Members | undefined, entry: Members, prune: boolean): Members {
  const head = { description: '', access: 'public', status: 'active', svn: false, admins: [], members: [] };
  return {
    ...overlaid(before, entry, head),
    user_groups: keyed(
      before?.['user_groups'],
      entry['user_groups'],
      'short_name',
      (was, group) => overlaid(was, group, { members: [] }),
      prune && ((group) => ({ ...group, members: [] })),
    ),
    trackers: keyed(
      before?.['trackers'],
      entry['trackers'],
      'item_name',
      (was, tracker) => trackerAfter(was, tracker, prune),
      prune && (() => undefined),
    ),
  };
}

function trackerAfter(before: Members | undefined, entry: Members, prune: boolean): Members {
  return {
    ...overlaid(before, entry, { description: '', color_name: 'inca-silver', admins: [], workflow: null }),
    permissions: overlaid(before?.['permissions'], entry['permissions'], TRACKER_PERMISSIONS),
    semantics: overlaid(before?.['semantics'], entry['semantics'], SEMANTICS),
    fields: fieldsAfter(before?.['fields'], entry['fields'], prune),
    reports: reportsAfter(before?.['reports'], entry['reports']),
  };
}

/** None that the list leaves out stays. */
function reportsAfter(before: unknown, named: unknown): readonly Members[] {
  const after = (was: Members | undefined, entry: Members): Members =>
    overlaid(was, entry, { public: true, default: false, query: '' });
  return keyed(before, named, 'name', after, () => undefined);
}

function fieldsAfter(before: unknown, named: unknown, prune: boolean): readonly Members[] {
  return keyed(before, named, 'name', (was, field) => fieldAfter(was, field, prune), prune && (() => undefined));
}

function fieldAfter(before: Members | undefined, entry: Members, prune: boolean): Members {
  const type = String(entry['type']);
  const field = {
    ...overlaid(before, entry, { description: '', ...BY_TYPE[type] }),
    permissions: overlaid(before?.['permissions'], entry['permissions'], FIELD_PERMISSIONS),
  };
  if (type === 'fieldset') return { ...field, fields: fieldsAfter(before?.['fields'], entry['fields'], prune) };
  return BY_TYPE[type]?.['values'] ? { ...field, values: valuesAfter(before?.['values'], entry['values']) } : field;
}

/** A list that is named is the whole list. */
function valuesAfter(before: unknown, named: unknown): readonly Members[] {
  const was = listOf(before);
  if (named === undefined) return was;
  const entries = listOf(named);
  const listed = entries.map((entry) =>
    overlaid(
      was.find(({ label }) => label === entry['label']),
      entry,
      { color: '', hidden: false },
    ),
  );
  const dropped = was.filter(({ label }) => entries.every((entry) => entry['label'] !== label));
  return [...listed, ...dropped.map((value) => ({ ...value, hidden: true }))];
}
