/** The filter of a tracker's artifacts: from a client's JSON to criteria on the artifacts' index entries. */
import { invalidIn, pointerTo, Problem } from '../../core/problem.js';
import { type Criterion } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { fieldCriteria } from './condition.js';
import { type Reading } from '../representation/reading.js';
import { MAX_FILTER_FIELDS } from '../schemas.js';

/** A field's text makes one for each of its words. */
const MAX_CRITERIA = 50;

interface Asked {
  readonly name: string;
  readonly value: unknown;
  readonly field: Field | undefined;
}

/**
 * What `filter` asks, AND-ed; nothing for a filter that is empty or not given. A field that the viewer may not read is
 * unknown. Throws a Problem that names what it does not understand.
 */
export function artifactFilter(
  tracker: CompiledTracker,
  { viewer, definitions }: Pick<Reading, 'viewer' | 'definitions'>,
  filter: unknown,
): readonly Criterion[] {
  const context = { definitions, projectId: tracker.view.projectId };
  const readable = viewer.readable(tracker);
  const asked = membersOf(filter).map(([name, value]) => ({ name, value, field: fieldOf(readable, name) }));
  refuseUnknown(asked);

  const criteria = asked.flatMap(({ name, value, field }) =>
    field === undefined ? [] : fieldCriteria(tracker, field, name, value, context),
  );
  if (criteria.length > MAX_CRITERIA) {
    throw new Problem('invalid', `A filter holds at most ${MAX_CRITERIA} words and values to compare with`);
  }
  return criteria;
}

function membersOf(filter: unknown): readonly (readonly [string, unknown])[] {
  if (filter === undefined || filter === null) return [];
  // An empty list is what some languages write for an empty object.
  if (typeof filter !== 'object' || (Array.isArray(filter) && filter.length > 0)) {
    // The schema of the body has let only objects pass.
    throw invalidIn('query', 'A filter must be a JSON object with a member for each field');
  }
  const members = Object.entries(filter);
  if (members.length > MAX_FILTER_FIELDS)
    throw new Problem('invalid', `A filter names at most ${MAX_FILTER_FIELDS} fields`);
  return members;
}

/** By its id or its name, else by what it means. */
export function fieldOf(tracker: CompiledTracker, name: string): Field | undefined {
  const id = /^\d+$/.test(name) ? Number(name) : undefined;
  const field = id === undefined ? undefined : tracker.fieldById(id);
  const named = field ?? fieldInAnyCase(tracker, name);
  const element = () => tracker.elements.find((each) => each.name === name || each.id === id);
  return named ?? element() ?? fieldMeant(tracker, name);
}

/** Case does not count, unless it tells two fields apart. */
export function fieldInAnyCase(tracker: CompiledTracker, name: string): Field | undefined {
  const folded = name.toLowerCase();
  return tracker.fieldNamed(name) ?? tracker.fields.find((field) => field.name.toLowerCase() === folded);
}

/** As the contract, representations and Tuleap's clients call them. */
function fieldMeant(tracker: CompiledTracker, name: string): Field | undefined {
  const { title, description, status, contributor } = tracker.view.semantics;
  const meanings = new Map([
    ['title', title],
    ['description', description],
    ['status', status?.field],
    ['status_id', status?.field],
    ['contributor', contributor],
    ['assigned_to', contributor],
  ]);
  const id = meanings.get(name);
  return id === undefined ? undefined : tracker.fieldById(id);
}

function refuseUnknown(asked: readonly Asked[]): void {
  const unknown = asked.filter(({ field }) => field === undefined).map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new Problem('invalid', `These fields do not exist: ${unknown.join(', ')}`, {
    details: unknown.map((name) => ({ pointer: pointerTo(name), message: 'This field does not exist' })),
  });
}
