/** What a world holds beside its definitions: the artifacts, files and repositories of both twins. */
import { expect } from 'chai';
import { type RunningService } from '../support/service.js';
import { label, type Ids } from './ids.js';
import { type Shown } from './twins.js';
import { isOnTheSide, type ValuesPlan, type World } from './world.js';

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
