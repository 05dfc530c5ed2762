/** A random world in two services: whole in one; in the other without all that a reader may not see, under the same ids. */
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
import { isOnTheSide, NAMES, type Group, type Sight, type World } from './world.js';

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
