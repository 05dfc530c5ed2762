/** The criteria for the artifacts of a tracker that a reader may see, and their number. */
import { isUnrestrictedFor } from '../../authorization/groups-of.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type Criterion, type Given } from '../../core/read-models.js';
import { type ProjectView } from '../../projects/project-view.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { audienceKey, fieldKey, fieldName, grant, inTracker, limits } from '../artifact-view.js';
import { ALL, countedValue, countOf, trackerCounts, type LetsIn, type TrackerCounts } from '../tracker-count-view.js';

/** What a query for artifacts of one tracker asks. Nothing is hidden from the tracker's administrators. */
export function visibleArtifacts(
  asked: readonly Criterion[],
  tracker: CompiledTracker,
  project: ProjectView,
  viewer: Viewer,
): { readonly where: readonly Criterion[]; readonly given: Given<TrackerCounts> } {
  const fields = viewer.limitsOf(tracker).map(({ id }) => id);
  const groups = viewer.groupsIn(project);
  const what = countedWhat(asked, tracker);
  const sees: LetsIn = (groupsOf) => fields.every((id) => isUnrestrictedFor(groups, groupsOf(id)));
  const take: Given<TrackerCounts>['take'] = (counts) => ({
    where: fields.map((id) => letIn(id, [...groups], tracker.id, counts)),
    total: what === undefined ? undefined : countOf(counts, what, fields.length === 0 ? null : sees),
  });
  return {
    where: fields.length === 0 ? withTracker(asked, tracker.id) : asked,
    given: { from: trackerCounts, id: tracker.id, take },
  };
}

/** Those that the field does not limit, and those that it lets one of the groups see. */
function letIn(field: number, groups: readonly number[], trackerId: number, counts: TrackerCounts | null): Criterion {
  const known = counts?.limits ?? [limits([])];
  const without = known.filter((set) => !set.split(',').includes(String(field)));
  const values = [...without, ...groups.map((group) => grant(field, group))];
  return { type: 'any-of', key: audienceKey(trackerId), values };
}

/** Keeps the criteria to one tracker; left as they are when one of them can match nowhere else. */
function withTracker(criteria: readonly Criterion[], trackerId: number): readonly Criterion[] {
  // Keys are of one tracker each.
  if (criteria.some((one) => 'key' in one && one.type !== 'empty')) return criteria;
  const { key, value } = inTracker(trackerId);
  return [{ type: 'any-of', key, values: [value] }, ...criteria];
}

const LISTS = ['sb', 'rb', 'msb', 'cb', 'tbl'] as const;

/** Undefined unless all artifacts are asked for, or those of one list value. */
function countedWhat([only, ...others]: readonly Criterion[], tracker: CompiledTracker): string | undefined {
  if (only === undefined) return ALL;
  if (only.type !== 'any-of' || others.length > 0) return undefined;
  const [value, ...alternatives] = only.values;
  const lists = LISTS.flatMap((type) => tracker.ofType(type));
  const list = lists.find(({ id }) => fieldKey(tracker.id, id) === only.key);
  if (value === undefined || alternatives.length > 0 || list === undefined) return undefined;
  return countedValue(fieldName(list.id), value);
}
