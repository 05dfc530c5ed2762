/** The field that a resumable upload is announced for: whether it takes files, and from whom. */
import { Problem } from '../../core/problem.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { maxFileSize, type Field } from '../../trackers/field-types/definition.js';

/** Throws when the viewer may not upload for it, or not so much. */
export function checkUploadFor(fieldId: number, size: number, definitions: Definitions, viewer: Viewer): void {
  const { tracker, field } = fieldWithTracker(fieldId, definitions, viewer);
  const isReadable = viewer.readable(tracker).fieldById(fieldId) !== undefined;
  if (!isReadable && !(field.type === 'file' && mayUpload(tracker, field, definitions, viewer))) throw notFound();
  if (field.type !== 'file') throw new Problem('invalid', `The field ${field.label} does not take files`);
  if (!mayUpload(tracker, field, definitions, viewer)) {
    throw new Problem('forbidden', `You may not upload files for the field ${field.label}`);
  }
  const most = maxFileSize(field);
  if (size > most) {
    const details = [{ pointer: '/file_size', message: `may be ${most} at most` }];
    throw new Problem('invalid', `/file_size may be ${most} at most`, { details });
  }
}

interface Found {
  readonly tracker: CompiledTracker;
  readonly field: Field;
}

function fieldWithTracker(fieldId: number, definitions: Definitions, viewer: Viewer): Found {
  const tracker = definitions.trackerOfField(fieldId);
  const project = tracker && definitions.project(tracker.view.projectId);
  const field = tracker?.fieldById(fieldId);
  if (tracker === undefined || project === undefined || field === undefined) throw notFound();
  if (!viewer.canSeeProject(project)) throw new Problem('forbidden', 'You may not see the project of this field');
  if (!viewer.canSeeTracker(tracker)) throw notFound();
  return { tracker, field };
}

const notFound = (): Problem => new Problem('not-found', 'No such field');

function mayUpload(tracker: CompiledTracker, field: Field, definitions: Definitions, viewer: Viewer): boolean {
  if (definitions.project(tracker.view.projectId)?.status === 'suspended') return false;
  const maySubmit = viewer.canSubmit(tracker) && viewer.mayWrite('submit', tracker, field);
  return maySubmit || (viewer.canUpdate(tracker) && viewer.mayWrite('update', tracker, field));
}
