/** Random artifacts of some trackers, and who sees what of them: told without the code that decides it. */
import fc from 'fast-check';
import { type ArtifactDocument } from '../../../src/artifacts/artifact-view.js';
import { type FileView } from '../../../src/files/file-view.js';
import { ALL_USERS, PROJECT_ADMINS, REGISTERED_USERS } from '../../../src/projects/project-events.js';
import { type FieldValues, type Link, type OpenListValue } from '../../../src/trackers/field-types/field-value.js';
import {
  artifactOf,
  definitionsOf,
  fieldOf,
  groupOf,
  listValueOf,
  projectOf,
  trackerOf,
  userOf,
} from '../../support/definitions.js';

export const NOW = new Date('2024-03-05T12:30:00Z');

export const pam = userOf(115, { username: 'pam' });
export const meg = userOf(116, { username: 'meg' });
const max = userOf(117, { username: 'max' });
export const TESTERS = 105;
const forAdmins = { permissions: { read: [PROJECT_ADMINS], submit: null, update: null } };

const fields = [
  fieldOf(501, 'string', { name: 'title' }),
  fieldOf(502, 'text', { name: 'details' }),
  fieldOf(503, 'int', { name: 'points' }),
  fieldOf(504, 'float', { name: 'size' }),
  fieldOf(505, 'date', { name: 'due' }),
  fieldOf(506, 'date', { name: 'met', time: true }),
  fieldOf(507, 'sb', {
    name: 'status',
    bind: 'static',
    values: [
      listValueOf(301, { label: 'New' }),
      listValueOf(302, { label: 'Open' }),
      listValueOf(303, { label: 'NEW', hidden: true }),
      listValueOf(304, { label: '5' }),
    ],
  }),
  fieldOf(508, 'msb', { name: 'team', bind: 'user_groups', from: [TESTERS, REGISTERED_USERS] }),
  fieldOf(509, 'cb', { name: 'owner', bind: 'users', from: [REGISTERED_USERS] }),
  fieldOf(510, 'art_link', { name: 'links' }),
  fieldOf(511, 'art_link', { name: 'hidden_links', ...forAdmins }),
  fieldOf(512, 'int', { name: 'secret', ...forAdmins }),
  fieldOf(513, 'perm', { name: 'who' }),
  fieldOf(514, 'subby', { name: 'author' }),
  fieldOf(515, 'lud', { name: 'changed' }),
  fieldOf(516, 'tbl', { name: 'tags', bind: 'static', values: [listValueOf(401, { label: 'urgent' })] }),
  fieldOf(517, 'file', { name: 'files' }),
];
export const tracker = trackerOf(fields, { semantics: { contributor: 509 } });
const task = trackerOf([fieldOf(601, 'art_link'), fieldOf(602, 'perm')], { id: 102, itemName: 'task' });
const hidden = trackerOf([fieldOf(701, 'art_link')], {
  id: 103,
  itemName: 'hidden',
  permissions: { access: [PROJECT_ADMINS], submit: [ALL_USERS], update: [ALL_USERS] },
});
/** Of the same name as the tracker that is asked. */
const elsewhere = trackerOf([fieldOf(801, 'art_link')], { id: 104, projectId: 120, itemName: 'bug' });

export const definitions = definitionsOf({
  users: [pam, meg, max],
  projects: [
    projectOf({ admins: [pam.id], groups: [groupOf(TESTERS, { shortName: 'testers', members: [meg.id] })] }),
    projectOf({ id: 120, access: 'private', admins: [pam.id] }),
  ],
  trackers: [tracker, task, hidden, elsewhere],
  openValues: { 516: [{ number: 1, label: 'own' }] },
  platform: { linkTypes: [{ shortname: 'fixes', forwardLabel: 'Fixes', reverseLabel: 'Fixed by' }] },
});

/** Null: anonymous. */
export const READERS = [pam, meg, max, null];
type Reader = (typeof READERS)[number];

/** An artifact with its comments. */
export interface KnownArtifact extends ArtifactDocument {
  readonly comments: readonly string[];
}

export interface World {
  readonly artifacts: readonly KnownArtifact[];
  readonly reader: Reader;
}

const PERM = { 101: '513', 102: '602' } as Readonly<Record<number, string>>;
const LINKS = { 101: ['510', '511'], 102: ['601'], 103: ['701'], 104: ['801'] } as Readonly<
  Record<number, readonly string[]>
>;

const GROUPS = new Map<Reader, readonly number[]>([
  [meg, [ALL_USERS, REGISTERED_USERS, TESTERS]],
  [max, [ALL_USERS, REGISTERED_USERS]],
  [null, [ALL_USERS]],
]);

export function sees(reader: Reader, { trackerId, values }: ArtifactDocument): boolean {
  if (reader === pam) return true;
  if (trackerId === 103 || trackerId === 104) return false;
  const granted = (values[PERM[trackerId] ?? ''] ?? []) as readonly number[];
  const groups = GROUPS.get(reader) ?? [];
  return granted.length === 0 || granted.some((group) => groups.includes(group));
}

/** To artifacts that the reader may see; none of an artifact that the reader may not. */
export function linksOf(source: ArtifactDocument, { reader, artifacts }: World) {
  if (!sees(reader, source)) return [];
  const fields = (LINKS[source.trackerId] ?? []).filter((field) => reader === pam || field !== '511');
  const links = fields.flatMap((field) => (source.values[field] ?? []) as readonly Link[]);
  return links.flatMap(({ id, type }) => {
    const target = artifacts.find((artifact) => artifact.id === id);
    return target !== undefined && sees(reader, target) ? [{ source, target, type }] : [];
  });
}

export const MAX_ID = 8;
const someOf = <T>(...items: readonly T[]) => fc.subarray([...items]);
export const one = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const words = fc.array(one('a', 'B', 'é', '%', ' ', '"', "'", '\\'), { minLength: 1, maxLength: 4 });
export const text = words.map((letters) => letters.join(''));
export const INTS = [-5, 0, 1, 5];
export const FLOATS = [-0.5, 0, 0.5, 5];
export const DAYS = ['2024-02-29', '2024-03-04', '2024-03-05', '2024-03-06'];
export const INSTANTS = [
  '2024-03-04T23:59:00Z',
  '2024-03-05T00:00:00Z',
  '2024-03-05T12:30:00Z',
  '2024-03-06T00:00:00Z',
];
const fileOf = (id: number, name: string, description: string): FileView => ({
  ...{ id, name, description, revision: 1, owner: pam.id, mediaType: 'text/plain', expected: null, fieldId: null },
  ...{ size: 1, changedAt: INSTANTS[0]!, claim: { artifactId: 1, fieldId: 517, commandId: 'c', settled: true } },
});
export const FILES = [fileOf(71, 'a%B', ''), fileOf(72, 'É', "a b ' \\"), fileOf(73, 'bb', 'B%')];
const LINK_TYPES = ['', '_is_child', 'fixes'];

const links = fc.uniqueArray(fc.record({ id: fc.nat(MAX_ID + 1), type: one(...LINK_TYPES) }), {
  maxLength: 3,
  selector: ({ id }) => id,
});
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const VALUES: Readonly<Record<number, fc.Arbitrary<FieldValues>>> = {
  101: fc.record(
    {
      501: option(text),
      502: option(text.map((each) => ({ text: each, format: 'text' as const }))),
      503: option(one(...INTS)),
      504: option(one(...FLOATS)),
      505: option(one(...DAYS).map((date) => ({ date }))),
      506: option(one(...INSTANTS).map((date) => ({ date }))),
      507: one([301], [302], [303], [304], []),
      508: someOf(TESTERS, REGISTERED_USERS),
      509: someOf(pam.id, meg.id),
      510: links,
      511: links,
      512: option(one(...INTS)),
      513: someOf(TESTERS, REGISTERED_USERS, PROJECT_ADMINS),
      517: someOf(...FILES.map(({ id }) => id)),
      516: someOf<OpenListValue>({ bound: 401 }, { open: 1, label: 'own' }),
    },
    { requiredKeys: [] },
  ),
  102: fc.record({ 601: links, 602: someOf(TESTERS, REGISTERED_USERS, PROJECT_ADMINS) }),
  103: fc.record({ 701: links }),
  104: fc.record({ 801: links }),
};

const artifact: fc.Arbitrary<KnownArtifact> = one(101, 101, 101, 102, 103, 104).chain((trackerId) =>
  fc
    .record({
      id: fc.integer({ min: 1, max: MAX_ID }),
      values: VALUES[trackerId]!,
      submittedBy: one(pam.id, meg.id, null),
      lastUpdateOn: one(...INSTANTS),
      comments: fc.array(text, { maxLength: 2 }),
    })
    .map(({ id, comments, ...given }) => {
      const perm = PERM[trackerId] ?? '';
      const granted = (given.values[perm] ?? []) as readonly number[];
      const limitedBy = granted.length === 0 ? [] : [Number(perm)];
      const isCommented = comments.length === 0 ? {} : { isCommented: true as const };
      return { ...artifactOf(id, { ...given, ...isCommented, trackerId, limitedBy }), comments };
    }),
);
export const artifacts = fc.uniqueArray(artifact, { maxLength: MAX_ID, selector: ({ id }) => id });
