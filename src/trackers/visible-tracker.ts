/** The one answer to a tracker in a path that the viewer cannot have. A file of its own because artifacts ask it too. */
import { Problem } from '../core/problem.js';
import { type Directory } from '../directory/directory.js';
import { type Viewer } from '../directory/viewer.js';
import { visibleProject } from '../projects/visible-project.js';
import { type CompiledTracker } from './compiled-tracker.js';

/** 403 when its project is out of reach; within it, who may not see a tracker is told what they are told of none. */
export function visibleTracker(directory: Directory, viewer: Viewer, id: number): CompiledTracker {
  const tracker = directory.tracker(id);
  if (tracker === undefined) throw notFound();
  visibleProject(directory, viewer, tracker.view.projectId);
  if (!viewer.canSeeTracker(tracker)) throw notFound();
  return tracker;
}

const notFound = (): Problem => new Problem('not-found', 'This tracker does not exist, or you have no access to it');
