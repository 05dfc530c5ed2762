/** What an earlier run began and did not finish: names taken for something that does not exist. */
import { randomUUID } from 'node:crypto';
import { type EventLog } from '../../core/event-log.js';
import { releaseName, type UniqueName } from '../../core/name-reservation.js';
import { type Directory } from '../../definitions/definitions.js';
import { finishCreation, projectKind, trackerKind, userKind, type By } from './reserve-and-create.js';
import { type PlatformFile, type ProjectEntry } from '../format/platform-schema.js';

/** True when something was finished, so that a plan made before is out of date. */
export async function resumeCreations(log: EventLog, file: PlatformFile, present: Directory, by: By): Promise<boolean> {
  const finished: boolean[] = [];
  for (const { username: name } of file.users ?? []) {
    if (present.userNamed(name) !== undefined) continue;
    finished.push((await finishCreation(log, { kind: 'user', scope: 0, name }, userKind, by)) !== null);
  }
  for (const entry of file.projects ?? []) {
    const projectId = await finishProject(log, entry, present, by);
    if (projectId === null) continue;
    finished.push(present.project(projectId) === undefined);
    finished.push(await finishTrackers(log, projectId, entry, present, by));
  }
  return finished.includes(true);
}

/** The project's id; null when it does not exist. */
function finishProject(
  log: EventLog,
  { shortname: name }: ProjectEntry,
  present: Directory,
  by: By,
): Promise<number | null> {
  const known = present.projectNamed(name);
  if (known !== undefined) return Promise.resolve(known.id);
  return finishCreation(log, { kind: 'project', scope: 0, name }, projectKind, by);
}

async function finishTrackers(
  log: EventLog,
  projectId: number,
  { trackers = [] }: ProjectEntry,
  present: Directory,
  by: By,
): Promise<boolean> {
  const known = new Set(present.trackersOf(projectId).map(({ view }) => view.itemName));
  let finished = false;
  for (const { item_name: name } of trackers) {
    if (known.has(name)) continue;
    const unique: UniqueName = { kind: 'tracker', scope: projectId, name };
    const id = await finishCreation(log, unique, trackerKind, by);
    if (id === null) continue;
    finished = true;
    // Deleted, but not yet rid of its name.
    if (present.tracker(id)?.view.deleted) await releaseName(log, unique, { id, commandId: randomUUID() }, by);
  }
  return finished;
}
