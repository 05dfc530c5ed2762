/** The expert query of a tracker's artifacts: from its text to criteria on the artifacts' index entries. */
import { type Criterion } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Reading } from '../representation/load-related.js';
import { ANYBODY } from './comparison.js';
import { meaningOf } from './criteria.js';
import { termsOf } from './expression.js';
import { FaultyQuery } from './faults.js';
import { parsed } from './parse.js';
import { relationCriteria } from './relations.js';

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
  const relations = termsOf(expression).filter((term) => term.type === 'relation');
  const known = await relationCriteria(relations, { meaning, tracker, reading });
  const criterion = meaning((relation) => known.get(relation) ?? { type: 'or', criteria: [] });
  return criterion.type === 'and' ? criterion.criteria : [criterion];
}

/** What is wrong with a text whoever reads the tracker: which users and groups there are is not looked at. */
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
