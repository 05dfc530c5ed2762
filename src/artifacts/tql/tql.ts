/** The expert query of a tracker's artifacts: from its text to criteria on the artifacts' index entries. */
import { type Criterion } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Reading } from '../representation/reading.js';
import { EVERYTHING, meaningOf, NOTHING } from './criteria.js';
import { FaultyQuery } from './faults.js';
import { ANYBODY } from './meaning.js';
import { parsed } from './parse.js';
import { relationCriteria } from './relations.js';
import { searchCriteria } from './searches.js';

/**
 * What the text asks, AND-ed. A field that the viewer may not read is unknown, and links count as far as the viewer may
 * see both ends. Throws a Problem that says where the text is wrong.
 */
export async function expertCriteria(
  tracker: CompiledTracker,
  reading: Reading,
  { text, now }: { readonly text: string; readonly now: Date },
): Promise<readonly Criterion[]> {
  const { definitions, viewer } = reading;
  const expression = parsed(text);
  const context = { definitions, projectId: tracker.view.projectId, user: viewer.user, now };
  const meaning = meaningOf(expression, viewer.readable(tracker), context);
  const asked = { tracker, reading };
  const widest = meaning.criterion(() => EVERYTHING);
  const searched: ReadonlyMap<object, Criterion> = await searchCriteria(meaning.searches, widest, asked);
  const related: ReadonlyMap<object, Criterion> = await relationCriteria(
    meaning.relations,
    (known) => meaning.criterion((term) => searched.get(term) ?? known.get(term) ?? EVERYTHING),
    asked,
  );
  const criterion = meaning.criterion((term) => searched.get(term) ?? related.get(term) ?? NOTHING);
  return criterion.type === 'and' ? criterion.criteria : [criterion];
}

/** The faults of a text for every reader of the tracker. The existence of users and groups is not checked. */
export function faultsOf(text: string, tracker: CompiledTracker, definitions: Definitions): readonly string[] {
  const { projectId } = tracker.view;
  try {
    meaningOf(parsed(text), tracker, { definitions, projectId, user: ANYBODY, now: new Date(0) });
    return [];
  } catch (error) {
    if (error instanceof FaultyQuery) return error.faults;
    throw error;
  }
}
