import { viewer, type Viewer } from '../../../src/authorization/viewer.js';
import { type GroupId } from '../../../src/projects/project-events.js';
import { type CompiledTracker } from '../../../src/trackers/compiled-tracker.js';
import { type WriteAction } from '../../../src/trackers/tracker-rights.js';
import { definitionsIn, type PlannedPlatform } from './planned-platform.js';

/** What each person may do with what is in a platform; anonymous readers are undefined. */
export function rightsIn(platform: PlannedPlatform): ReadonlySet<string> {
  const definitions = definitionsIn(platform);
  const { anonymousAccess, artifactDeletionLimit } = definitions.platform();
  const people = [...definitions.users()].filter(({ status }) => status === 'active');
  const rights = [...people, ...(anonymousAccess ? [null] : [])].flatMap((person) => {
    const who = viewer(definitions, person);
    return definitions.projects().flatMap((project) => {
      if (!who.canSeeProject(project)) return [];
      const groups = [1, 2, 3, 4, ...project.groups.map(({ id }) => id)];
      const known = `${person?.id} ${project.id} know`;
      const inTrackers = definitions.trackersOf(project.id).flatMap((tracker) => {
        const granted = [
          ...(artifactDeletionLimit > 0 && who.isTrackerAdmin(tracker) ? ['delete'] : []),
          ...rightsOn(tracker, who, groups),
        ];
        return granted.map((right) => `${person?.id} ${tracker.id} ${right}`);
      });
      return [known, ...inTrackers];
    });
  });
  return new Set(rights);
}

const WRITES: readonly WriteAction[] = ['submit', 'update'];

function rightsOn(tracker: CompiledTracker, who: Viewer, groups: readonly GroupId[]): readonly string[] {
  const writes = [...(who.canSubmit(tracker) ? ['submit'] : []), ...(who.canUpdate(tracker) ? ['update'] : [])];
  if (!who.canSeeTracker(tracker)) return writes;
  const limited = (group: GroupId) => Object.fromEntries(tracker.fields.map(({ id }) => [String(id), [group]]));
  const seen = groups.filter((group) => who.canSeeArtifact({ trackerId: tracker.id, values: limited(group) }));
  const fields = tracker.fields.flatMap((field) =>
    WRITES.filter((action) => who.mayWrite(action, tracker, field)).map((action) => `${action} ${field.id}`),
  );
  const read = who.readable(tracker).fields.map(({ id }) => `read ${id}`);
  const reports = (tracker.view.reports ?? []).filter((report) => who.canSeeReport(tracker, report));
  const reported = reports.map(({ id }) => `report ${id}`);
  return ['know', ...writes, ...read, ...reported, ...seen.map((group) => `artifacts-of ${group}`), ...fields];
}
