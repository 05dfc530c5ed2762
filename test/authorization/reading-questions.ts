/** What a reader may read of a world, naming what they see and what they do not. */
import { type FieldType } from '../../src/trackers/field-types/definition.js';
import { type Ids } from './ids.js';
import { get, isStatic, out, telling, UNKNOWN, type Asking, type Question } from './questions.js';
import { isOnTheSide } from './world.js';

const query = (value: unknown): string => `query=${encodeURIComponent(JSON.stringify(value))}`;
const LONG_AGO = '1993-01-01T00:00:00Z';

export const readingQuestions = (asking: Asking): readonly Question[] => [
  ...ofProjects(asking),
  ...asking.world.trackers.flatMap((_, index) => ofTracker(index, asking)),
  ...asking.world.artifacts.flatMap((_, turn) => ofArtifact(turn, asking)),
  get(`/artifacts?${query({ id: [...asking.filled.artifacts, UNKNOWN] })}`),
  // A site administrator sees the suspended projects of the worlds before.
  ...(asking.reader === 'root' ? [] : [get(`/artifacts?modified_since=${LONG_AGO}`)]),
  ...asking.filled.files.map((id) => get(`/artifact_files/${id}`)),
  ...asking.filled.files.map((id) => get(`/plugins/tracker/attachments/${id}-a`)),
  ...(asking.reader === 'anonymous' ? [] : asking.filled.files.flatMap(ofUpload)),
];

/** Of what may be attached where the reader does not see it. */
const ofUpload = (id: number): readonly Question[] => [
  get(`/artifact_temporary_files/${id}`),
  { method: 'HEAD', path: `/uploads/tracker/file/${id}` },
];

function ofProjects({ ids, sight, reader, filled }: Asking): readonly Question[] {
  const own = [false, true].flatMap((side, index) => {
    const id = ids.project(side);
    const paths = [
      `/projects/${id}`,
      `/projects/${id}/trackers`,
      `/projects/${id}/trackers?representation=minimal`,
      `/projects/${id}/svn`,
      `/projects/${id}/user_groups`,
      `/svn/${filled.repositories[index]!}`,
      `/user_groups/${id}_3`,
      `/user_groups/${ids.testers(side)}`,
      ...(reader === 'anonymous' ? [] : [`/user_groups/${id}_3/users`, `/user_groups/${ids.testers(side)}/users`]),
    ];
    return [
      ...paths.map((path) => ({ ...get(path), ...out(!sight.project(side)) })),
      get(`/projects?${query({ shortname: `world${id}` })}`),
    ];
  });
  return [...own, get('/projects'), get(`/projects?${query({ is_member_of: true })}`)];
}

const ASKED: Readonly<Partial<Record<FieldType, unknown>>> = {
  int: '>=3',
  msb: 101,
  subby: 101,
  aid: '>0',
  fieldset: 'x',
  column: 'x',
  float: '>=2',
  date: { operator: '>', value: '1993-01-01' },
  subon: { operator: '>', value: '1993-01-01' },
  lud: { operator: '>', value: '1993-01-01' },
  atid: '>2',
  luby: 101,
};

/** Texts that hidden artifacts, or hidden files, have too. */
const EXPERT = ['@comments = "change"', '@comments = ""', 'files != "zq"', 'files = "qz"', 'files != ""'];

function ofTracker(index: number, { world, ids, sight }: Asking): readonly Question[] {
  const id = ids.tracker(index);
  const own = `/trackers/${id}`;
  const filters = telling(index, { world, sight }).map(({ name, type }, turn) => {
    const value = isStatic(name) ? ids.value(index, name, 0) : (ASKED[type] ?? 'zq');
    return { [turn % 2 === index % 2 ? name : ids.field(index, name)]: value };
  });
  const paths = [
    own,
    `${own}/artifacts?values=all`,
    `${own}/artifacts?order=desc&limit=2&offset=1&created_since=${LONG_AGO}`,
    `${own}/used_artifact_links`,
    `${own}/parent_artifacts`,
    `${own}/tracker_reports`,
    ...reportsAsked(index, ids).flatMap((report) => [
      `/tracker_reports/${report}`,
      `/tracker_reports/${report}/artifacts?values=all`,
    ]),
  ];
  const expert = EXPERT.map((asked) => `${own}/artifacts?expert_query=${encodeURIComponent(asked)}`);
  const listed = filters.map((filter) => `${own}/artifacts?${query(filter)}`);
  const lists = world.trackers[index]!.fields.filter(({ type }) => ['tbl', 'sb', 'text'].includes(type));
  const values = lists.map(({ name }) => `/tracker_fields/${ids.field(index, name)}/values?limit=1000`);
  const isOut = !sight.project(isOnTheSide(index));
  return [...paths, ...expert, ...listed, ...values].map((path) => ({ ...get(path), ...out(isOut) }));
}

/** The last tracker names none. */
const reportsAsked = (index: number, ids: Ids): readonly number[] =>
  isOnTheSide(index) ? [ids.tracker(index)] : [ids.tracker(index), ids.report(index, true), ids.report(index, false)];

export function ofArtifact(turn: number, { world, filled, sight }: Pick<Asking, 'world' | 'filled' | 'sight'>) {
  const own = `/artifacts/${filled.artifacts[turn]!}`;
  const kinds = ['forward&nature=', 'forward&nature=_is_child&output_format=flat', 'reverse&nature=_is_child'];
  const linked = [...kinds, 'reverse&output_format=flat'].map((kind) => `${own}/linked_artifacts?direction=${kind}`);
  const paths = [
    `${own}?values_format=all&tracker_structure_format=complete`,
    `${own}/links`,
    `${own}/history`,
    `${own}?revision=0`,
    `${own}/changesets`,
    `${own}/changesets?fields=comments`,
    ...linked,
  ];
  const isOut = !sight.artifact(turn) && !world.deleted.includes(turn);
  return paths.map((path) => ({ ...get(path), ...out(isOut) }));
}
