/** The files of artifacts, as their representations describe them. */
import { refuseMarked } from '../../core/marks.js';
import { fileStream } from '../../files/file-events.js';
import { fileViews } from '../../files/file-view.js';
import { attachedFile } from '../../files/representation.js';
import { type ArtifactView } from '../artifact-view.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import { type Reading } from './reading.js';

/**
 * Undefined for a file that is not there. What is said of one never changes once it is attached, so that one with a
 * marked stream is still described.
 */
export type DescribeFile = (id: number) => object | undefined;

/** In all fields that hold files and that the viewer may read. */
export function filesOf(
  { trackerId, values }: Pick<ArtifactView, 'trackerId' | 'values'>,
  { definitions, viewer }: Pick<Reading, 'definitions' | 'viewer'>,
): readonly number[] {
  const tracker = definitions.tracker(trackerId);
  const fields = tracker === undefined ? [] : viewer.readable(tracker).ofType('file');
  return fields.flatMap(({ id }) => numbersOf(values[String(id)]));
}

export async function describedFiles(artifacts: readonly ArtifactView[], reading: Reading): Promise<DescribeFile> {
  const { readModels } = reading;
  const ids = new Set(artifacts.flatMap((artifact) => filesOf(artifact, reading)));
  if (ids.size === 0) return () => undefined;
  const files = new Map((await readModels.getMany(fileViews, [...ids])).map((file) => [file.id, attachedFile(file)]));
  const marks = readModels.marks(fileViews.name);
  for (const id of ids) if (!files.has(id)) refuseMarked(marks, fileStream(id));
  return (id) => files.get(id);
}
