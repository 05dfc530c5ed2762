/** A random world in two services: whole in one; in the other without all that a reader may not see, under the same ids. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { handle } from '../../src/core/handle.js';
import { projectDecider } from '../../src/projects/project.js';
import { projectStream } from '../../src/projects/project-events.js';
import { PROJECTS } from '../../src/projects/project-view.js';
import { type Field } from '../../src/trackers/field-types/definition.js';
import { trackerDecider } from '../../src/trackers/tracker.js';
import { trackerStream } from '../../src/trackers/tracker-events.js';
import { TRACKERS } from '../../src/trackers/tracker-view.js';
import { type RunningService } from '../support/service.js';
import { label, LISTS, type Ids, type List } from './ids.js';
import { isOnTheSide, NAMES, type Group, type Sight, type ValuesPlan, type World } from './world.js';

/** What is in the containers of a form. Where a reader does not see a container, this takes its place. */
const HELD: Readonly<Record<string, readonly string[]>> = { box: ['state', 'column'], column: ['points', 'rate'] };

/** Everything, or what a reader sees and what they may write blindly, which holds something else in the twin. */
export type Shown = Pick<Sight, 'project' | 'tracker' | 'field' | 'artifact' | 'blind' | 'administers'>;

const always = (): boolean => true;
export const ALL: Shown = {
  project: always,
  tracker: always,
  field: always,
  artifact: always,
  administers: always,
  blind: () => false,
};

export const shownTo = (sight: Sight): Shown => ({
  ...sight,
  field: (index, name) => sight.field(index, name) || sight.blind(index, name),
});

const envelope = () => ({
  commandId: randomUUID(),
  metadata: { actor: null, at: new Date().toISOString() },
});

export async function define(api: RunningService, world: World, ids: Ids, shown: Shown): Promise<void> {
  const { log, readModels } = api.service;
  for (const side of [false, true].filter(shown.project)) {
    const stream = projectStream(ids.project(side));
    const command = () => ({ type: 'RegisterProject' as const, ...projectOf(api, world, ids, side) });
    const { position } = await handle(log, projectDecider, { ...envelope(), stream, command });
    if (position !== null) await readModels.caughtUp(PROJECTS, position, 30_000);
  }
  for (const index of world.trackers.keys()) {
    if (!shown.tracker(index)) continue;
    const stream = trackerStream(ids.tracker(index));
    const command = () => ({ type: 'DefineTracker' as const, ...trackerOf(api, world, ids, { index, shown }) });
    await handle(log, trackerDecider, { ...envelope(), stream, command });
    const reports = () => ({ type: 'ChangeTrackerReports' as const, ...reportsOf(ids, { index, shown }) });
    await handle(log, trackerDecider, { ...envelope(), stream, command: reports });
  }
  const position = await log.end();
  if (position !== null) await readModels.caughtUp(TRACKERS, position, 30_000);
}

/** The side project's tracker names none. */
function reportsOf(ids: Ids, { index, shown }: { index: number; shown: Shown }) {
  const isShown = (isPublic: boolean): boolean => !isOnTheSide(index) && (isPublic || shown.administers(index));
  const reports = [true, false].filter(isShown).map((isPublic) => ({
    id: ids.report(index, isPublic),
    name: label('report', index, String(isPublic)),
    isPublic,
    isDefault: !isPublic,
    query: isPublic ? 'points > 2 OR title = "1" OR WITH PARENT' : 'state != ""',
  }));
  return { trackerId: ids.tracker(index), reports };
}

/** Out of the way of the worlds to come. */
export async function suspend(api: RunningService, ids: Ids, shown: Shown): Promise<void> {
  for (const side of [false, true].filter(shown.project)) {
    const projectId = ids.project(side);
    const command = () => ({ type: 'SuspendProject' as const, projectId });
    await handle(api.service.log, projectDecider, { ...envelope(), stream: projectStream(projectId), command });
  }
}

function projectOf(api: RunningService, world: World, ids: Ids, side: boolean) {
  const users = (...names: readonly string[]) => names.map((name) => api.user(name));
  const projectId = ids.project(side);
  const group = { id: ids.testers(side), shortName: `testers${projectId}`, label: label('testers', projectId) };
  return {
    projectId,
    shortname: `world${projectId}`,
    label: label('project', projectId),
    description: '',
    access: side ? world.side.access : ('public' as const),
    svn: true,
    admins: users('maker', ...(side ? [] : ['boss'])),
    members: users(...(side ? world.side.members : ['member', 'tester', 'keeper'])),
    groups: [{ ...group, members: users('maker', ...(side ? [] : ['tester'])) }],
  };
}

function trackerOf(api: RunningService, world: World, ids: Ids, { index, shown }: { index: number; shown: Shown }) {
  const { access, workflow, fields } = world.trackers[index]!;
  const has = (name: string): boolean => shown.field(index, name);
  const made = fields.filter(({ name }) => has(name)).map((field) => fieldOf(field, ids, index));
  const formOf = (names: readonly string[]): readonly Field[] =>
    names.flatMap((name) => {
      const fields = formOf(HELD[name] ?? []);
      const field = made.find((each) => each.name === name);
      if (field === undefined) return fields;
      return [name in HELD ? { ...field, fields } : field];
    });
  const form = formOf(NAMES.filter((name) => !Object.values(HELD).flat().includes(name)));
  const [on, off] = [ids.value(index, 'state', 0), ids.value(index, 'state', 1)];
  const steps = [
    [null, on],
    [null, off],
    [on, off],
    [off, on],
    [off, ids.value(index, 'state', 2)],
  ] as const;
  const governs = workflow && has('state');
  return {
    trackerId: ids.tracker(index),
    projectId: ids.project(isOnTheSide(index)),
    itemName: `item${ids.tracker(index)}`,
    label: label('tracker', index),
    description: '',
    color: 'fiesta-red',
    admins: { users: index === 0 ? [api.user('keeper')] : [], groups: [] },
    permissions: { access: [ids.group(index, access)], submit: [2], update: [2] },
    fields: form,
    semantics: {
      ...(has('title') && { title: ids.field(index, 'title') }),
      ...(has('state') && { status: { field: ids.field(index, 'state'), open: [on] } }),
      ...(has('crew') && { contributor: ids.field(index, 'crew') }),
    },
    workflow: governs
      ? { field: ids.field(index, 'state'), transitions: steps.map(([from, to], n) => ({ id: n + 1, from, to })) }
      : null,
  };
}

function fieldOf(
  { name, type, read, submit, update, required }: World['trackers'][number]['fields'][number],
  ids: Ids,
  index: number,
): Field {
  const granted = (group: Group | null) => [ids.group(index, group ?? read)];
  const list = LISTS.find((each) => each === name);
  const valueOf = (of: List, n: number) => ({
    id: ids.value(index, of, n),
    label: label(of, index, n),
    color: '',
    hidden: false,
  });
  return {
    id: ids.field(index, name),
    name,
    label: label('field', index, name),
    description: '',
    type,
    required,
    used: true,
    permissions: { read: granted(read), submit: granted(submit), update: granted(update) },
    ...(list !== undefined && {
      bind: 'static' as const,
      values: (list === 'state' ? [0, 1, 2] : [0, 1]).map((n) => valueOf(list, n)),
    }),
    ...(type === 'msb' && { bind: 'users' as const, from: [3] }),
  };
}

export interface Filled {
  readonly artifacts: readonly number[];
  readonly files: readonly number[];
  /** One of either project. */
  readonly repositories: readonly number[];
}

/**
 * As the maker, over HTTP. Numbers in a tracker have gaps where artifacts are deleted, and where they are hidden: in place
 * of one that is hidden the twin had another that was deleted, whose id goes to nobody in the whole world.
 */
export async function fill(api: RunningService, world: World, ids: Ids, shown: Shown): Promise<Filled> {
  const artifacts: number[] = [];
  const files: number[] = [];
  const write = { ids, shown, artifacts };
  for (const [turn, plan] of world.artifacts.entries()) {
    const { tracker } = plan;
    const isThere = shown.artifact(turn);
    const hasFile = plan.file && isThere && shown.field(tracker, 'files') && !shown.blind(tracker, 'files');
    const file = hasFile ? await upload(api) : await skipped(api, 'file');
    files.push(file);
    if (isThere) {
      artifacts.push(await submit(api, world, { turn, plan, file }, write));
      await skipped(api, 'artifact');
      continue;
    }
    artifacts.push(await skipped(api, 'artifact'));
    const other = { turn, plan: { ...plan, file: false, links: [] }, file };
    if (shown.tracker(tracker)) await remove(api, await submit(api, world, other, write));
    else await skipped(api, 'artifact');
  }
  await change(api, world, write);
  return { artifacts, files, repositories: [await repository(api, write, false), await repository(api, write, true)] };
}

interface Submission {
  readonly turn: number;
  readonly plan: World['artifacts'][number];
  readonly file: number;
}

async function submit(
  api: RunningService,
  world: World,
  { turn, plan, file }: Submission,
  write: Write,
): Promise<number> {
  const { tracker, limits } = plan;
  const { ids } = write;
  const own = {
    title: { value: label('title', turn) },
    limits: { value: { granted_groups: limits.map((group) => restId(ids.group(tracker, group), ids, tracker)) } },
    crew: { bind_value_ids: [api.user('maker')] },
    note: { value: label('note', turn) },
    ...(plan.file && { files: { value: [file] } }),
  };
  const others = {
    ...own,
    title: { value: 'other' },
    crew: { bind_value_ids: [] },
    note: { value: 'other' },
    files: { value: [] },
  };
  const values = [
    ...elements(tracker, { ...own, ...written(world, turn, plan, write) }, write),
    ...blindElements(tracker, { ...others, ...written(world, turn, otherwise(plan), write) }, write),
  ];
  const answer = await api.post('/artifacts', { as: 'maker', body: { tracker: { id: ids.tracker(tracker) }, values } });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body.id;
}

async function remove(api: RunningService, id: number): Promise<void> {
  const { status } = await api.request('DELETE', `/artifacts/${id}`, { as: 'maker' });
  expect(status).to.equal(200);
}

async function repository(api: RunningService, { ids, shown }: Write, side: boolean): Promise<number> {
  if (!shown.project(side)) return skipped(api, 'svn');
  const projectId = ids.project(side);
  const body = { project_id: projectId, name: label('repository', projectId) };
  const answer = await api.post('/svn', { as: 'maker', body });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body.id;
}

async function change(api: RunningService, world: World, write: Write): Promise<void> {
  const { shown, artifacts } = write;
  for (const [n, plan] of world.changes.entries()) {
    if (!shown.artifact(plan.artifact)) continue;
    const { tracker } = world.artifacts[plan.artifact]!;
    const values = [
      ...elements(tracker, written(world, plan.artifact, plan, write), write),
      ...blindElements(tracker, written(world, plan.artifact, otherwise(plan), write), write),
    ];
    const body = { values, comment: { body: `change ${n}`, format: 'text' } };
    const { status, body: answer } = await api.put(`/artifacts/${artifacts[plan.artifact]!}`, { as: 'maker', body });
    expect(status, JSON.stringify(answer)).to.equal(200);
  }
  for (const turn of world.deleted.filter((each) => shown.artifact(each))) await remove(api, artifacts[turn]!);
}

interface Write {
  readonly ids: Ids;
  readonly shown: Shown;
  /** By turn; of those made so far. */
  readonly artifacts: readonly number[];
}

type Parts = Readonly<Record<string, object>>;

function written(_: World, turn: number, { points, state, effort, links }: ValuesPlan, write: Write): Parts {
  const { shown, artifacts, ids } = write;
  const { tracker } = _.artifacts[turn]!;
  const inField = (field: string) => ({
    links: links
      .filter(
        (link) => link.field === field && link.to !== turn && link.to < artifacts.length && shown.artifact(link.to),
      )
      .map(({ to, type }) => ({ id: artifacts[to], type })),
  });
  return {
    points: { value: points },
    state: { bind_value_ids: [ids.value(tracker, 'state', state)] },
    kind: { bind_value_ids: [ids.value(tracker, 'kind', 1 - state)] },
    marks: { bind_value_ids: points < 5 ? [] : [ids.value(tracker, 'marks', 0), ids.value(tracker, 'marks', state)] },
    tags: { bind_value_ids: [label('tags', tracker, state)] },
    rate: { value: points / 2 },
    due: { value: `199${points}-05-17` },
    effort: effort === null ? { is_autocomputed: true } : { manual_value: effort },
    links: inField('links'),
    more: inField('more'),
  };
}

/** What a field holds in the twin that its reader may write blindly. The limits of an artifact decide who sees it. */
const otherwise = ({ points, state, effort }: ValuesPlan): ValuesPlan => ({
  points: 9 - points,
  state: state === 0 ? 1 : 0,
  effort: effort === null ? 5 : null,
  links: [],
});

const elements = (tracker: number, parts: Parts, { ids, shown }: Write): readonly object[] =>
  Object.entries(parts)
    .filter(([name]) => shown.field(tracker, name) && !shown.blind(tracker, name))
    .map(([name, part]) => ({ field_id: ids.field(tracker, name), ...part }));

const blindElements = (tracker: number, parts: Parts, { shown, ...write }: Write): readonly object[] =>
  elements(tracker, parts, { ...write, shown: { ...shown, field: shown.blind, blind: () => false } });

const restId = (group: number, ids: Ids, tracker: number): string =>
  group === 3 || group === 4 ? `${ids.project(isOnTheSide(tracker))}_${group}` : String(group);

/** An id that goes to nobody. */
const skipped = (api: RunningService, kind: string): Promise<number> => api.service.idsOf(kind).next();

async function upload(api: RunningService): Promise<number> {
  const body = { name: label('file'), mimetype: 'text/plain', content: Buffer.from(label('bytes')).toString('base64') };
  const answer = await api.post('/artifact_temporary_files', { as: 'maker', body });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body.id;
}
