import { type Definitions } from '../definitions/definitions.js';
import { type ProjectView } from '../projects/project-view.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';

/** What follows from a tracker and its project is remembered for the pair: it is asked for with every artifact. */
export function trackerCache(definitions: Definitions, make: (tracker: CompiledTracker) => CompiledTracker) {
  const known = new WeakMap<CompiledTracker, { readonly project: ProjectView; readonly made: CompiledTracker }>();
  return (tracker: CompiledTracker): CompiledTracker => {
    const project = definitions.project(tracker.view.projectId);
    const earlier = known.get(tracker);
    if (earlier !== undefined && earlier.project === project) return earlier.made;
    const made = make(tracker);
    if (project !== undefined) known.set(tracker, { project, made });
    return made;
  };
}
