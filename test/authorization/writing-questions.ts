/** What a reader may write into a world, naming what they see and what they do not. */
import { type FieldType } from '../../src/trackers/field-types/definition.js';
import { label } from './ids.js';
import { isStatic, out, telling, UNKNOWN, type Asking, type Question } from './questions.js';
import { isOnTheSide } from './world.js';

const destroy = (path: string): Question => ({ method: 'DELETE', path });

/** One after the other: what is taken changes both twins alike. */
export const writingQuestions = (asking: Asking): readonly Question[] =>
  asking.reader === 'anonymous'
    ? []
    : [
        ...asking.world.trackers.flatMap((_, index) => submissions(index, asking)),
        ...asking.world.artifacts.flatMap((_, turn) => changes(turn, asking)),
        ...asking.world.trackers.flatMap((_, index) => announcements(index, asking)),
        ...[false, true].flatMap((side) => repositoryWrites(side, asking)),
        ...[false, true].flatMap((side) => groupWrites(side, asking)),
        ...asking.filled.files.flatMap(uploadWrites),
      ];

/** What ends the world; whether earlier writes went through alike has to be asked before. */
export const endingQuestions = ({ reader, filled, sight, ids, world }: Asking): readonly Question[] =>
  reader === 'anonymous'
    ? []
    : [
        ...filled.artifacts.map((id, turn) => ({
          ...destroy(`/artifacts/${id}`),
          ...out(!sight.artifact(turn) && !world.deleted.includes(turn)),
        })),
        ...[false, true].flatMap((side, index) => [
          { ...destroy(`/svn/${filled.repositories[index]!}`), ...out(!sight.project(side)) },
          {
            method: 'POST',
            path: '/svn',
            body: { project_id: ids.project(side), name: label('repository', ids.project(side)) },
          },
        ]),
      ];

/** Of one's own project too, they name groups of the other. */
function repositoryWrites(side: boolean, { ids, sight, filled }: Asking): readonly Question[] {
  const notified = (group: number | string) => ({
    commit_rules: { is_reference_mandatory: true, is_commit_message_change_allowed: false },
    immutable_tags: { paths: [], whitelist: [] },
    access_file: '',
    email_notifications: [{ path: '/', emails: [], users: [], user_groups: [group] }],
  });
  const groups = [false, true].flatMap((each) => [ids.testers(each), `${ids.project(each)}_3`]);
  const path = `/svn/${filled.repositories[Number(side)]!}`;
  const body = { project_id: ids.project(side), name: 'repo' };
  return [
    { method: 'POST', path: '/svn', body },
    ...groups.map((group) => ({
      method: 'PUT',
      path,
      body: { settings: notified(group) },
      ...out(!sight.project(side)),
    })),
  ];
}

/** Of users that do not exist: the model of the world says who is in a group. */
const groupWrites = (side: boolean, { ids, sight }: Asking): readonly Question[] =>
  [[{ id: UNKNOWN }], [{ username: 'nobody' }]].map((body) => ({
    method: 'PUT',
    path: `/user_groups/${ids.testers(side)}/users`,
    body,
    ...out(!sight.project(side)),
  }));

const uploadWrites = (id: number): readonly Question[] => [
  { method: 'PUT', path: `/artifact_temporary_files/${id}`, body: { content: 'YQ==', offset: 2 } },
  destroy(`/artifact_temporary_files/${id}`),
  { method: 'PATCH', path: `/uploads/tracker/file/${id}` },
  destroy(`/uploads/tracker/file/${id}`),
];

const VALUES: Readonly<Partial<Record<FieldType, object>>> = {
  string: { value: 'mine' },
  text: { value: 'mine' },
  int: { value: 4 },
  computed: { manual_value: 4 },
  art_link: { links: [] },
  file: { value: [] },
  perm: { value: { granted_groups: [] } },
  msb: { bind_value_ids: [] },
  subby: { value: 1 },
  fieldset: {},
  column: {},
  tbl: { bind_value_ids: ['mine'] },
  float: { value: 1.5 },
  date: { value: '1990-01-01' },
  atid: { value: 1 },
  subon: { value: '1990-01-01' },
  lud: { value: '1990-01-01' },
  luby: { value: 1 },
};

function submissions(index: number, asking: Asking): readonly Question[] {
  const { ids } = asking;
  const tracker = { id: ids.tracker(index) };
  const title = { field_id: ids.field(index, 'title'), value: 'mine' };
  const each = telling(index, asking).map((field) => [title, elementOf(index, field, asking)]);
  const byName = ['note', 'points', 'files'].map((name) => ({ [name]: { value: 'mine' } }));
  const body = (given: object) => ({ method: 'POST', path: '/artifacts', body: { tracker, ...given } });
  return [
    ...each.map((values) => body({ values })),
    ...byName.map((values) => body({ values_by_field: values })),
    ...ends(asking).map((id) => body({ from_artifact: { id } })),
    ...ends(asking).map((id) => body({ values: [title, { ...title, ...linked(index, asking, { id }) }] })),
  ];
}

function elementOf(
  index: number,
  { name, type }: { readonly name: string; readonly type: FieldType },
  { ids }: Asking,
) {
  const given = isStatic(name) ? { bind_value_ids: [ids.value(index, name, 1)] } : VALUES[type];
  return { field_id: ids.field(index, name), ...given };
}

/** Something that is visible, hidden, deleted and unknown, as far as there is such a thing. */
function ends({ world, filled, sight }: Asking): readonly number[] {
  const hidden = filled.artifacts.filter((_, turn) => !sight.artifact(turn)).slice(0, 2);
  const visible = filled.artifacts
    .filter((_, turn) => sight.artifact(turn) && !world.deleted.includes(turn))
    .slice(0, 1);
  return [...hidden, ...visible, UNKNOWN];
}

const linked = (index: number, { ids }: Asking, link: object) => ({
  field_id: ids.field(index, 'links'),
  value: undefined,
  links: [link],
});

function changes(turn: number, asking: Asking): readonly Question[] {
  const { world, filled, sight, ids } = asking;
  const { tracker: index, points, state } = world.artifacts[turn]!;
  const last = world.changes.findLast(({ artifact }) => artifact === turn) ?? { points, state };
  const path = `/artifacts/${filled.artifacts[turn]!}`;
  const isOut = !sight.artifact(turn) && !world.deleted.includes(turn);
  const put = (...values: readonly object[]) => ({ method: 'PUT', path, body: { values }, ...out(isOut) });
  const links = { field_id: ids.field(index, 'links') };
  const blind = world.trackers[index]!.fields.filter(({ name }) => sight.blind(index, name));
  const others = ends(asking).filter((id) => id !== filled.artifacts[turn]);
  return [
    ...others.map((id) => put({ ...links, links: [{ id, type: '' }] })),
    ...(linksAreWhole(asking) ? others.map((id) => put({ ...links, parent: { id } })) : []),
    put({ field_id: ids.field(index, 'points'), value: last.points }),
    put({ field_id: ids.field(index, 'points'), value: last.points + 10 }),
    put({ field_id: ids.field(index, 'state'), bind_value_ids: [ids.value(index, 'state', last.state)] }),
    put({ field_id: ids.field(index, 'state'), bind_value_ids: [ids.value(index, 'state', 2)] }),
    ...blind.map((field) => put(elementOf(index, field, asking))),
    put({ field_id: ids.field(index, 'note'), value: `zq-note-${turn}-qz` }),
    put({ field_id: ids.field(index, 'files'), value: filled.files.slice(0, 2) }),
  ];
}

/** Whoever may not read and update every field for links of a tracker writes none into it from the other end. */
const linksAreWhole = ({ world, sight }: Asking): boolean =>
  world.trackers.every((_, index) => {
    const there = ['links', 'more'].filter((name) => sight.field(index, name) || sight.blind(index, name));
    const mayLink = (name: string): boolean => sight.field(index, name) && sight.updates(index, name);
    return there.length === 2 || there.length === 0 || !there.every(mayLink);
  });

function announcements(index: number, { world, ids, sight }: Asking): readonly Question[] {
  const body = { name: 'a', file_size: 3, file_type: 'text/plain' };
  return world.trackers[index]!.fields.filter(({ type }) => ['file', 'sb', 'text'].includes(type)).map(({ name }) => ({
    method: 'POST',
    path: `/tracker_fields/${ids.field(index, name)}/files`,
    body,
    ...out(!sight.project(isOnTheSide(index))),
  }));
}
