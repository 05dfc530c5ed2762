import { type Viewer } from '../../authorization/viewer.js';
import { type ReadModels } from '../../core/read-models.js';
import { type FileView } from '../../files/file-view.js';
import { artifactViews } from '../artifact-view.js';

/** Whether the viewer may read the file. One that is claimed is as visible as the artifact that claims it. */
export async function isVisible(
  file: Pick<FileView, 'owner' | 'claim'>,
  viewer: Viewer,
  { readModels }: { readonly readModels: ReadModels },
): Promise<boolean> {
  const { claim } = file;
  const artifact = claim === null ? null : await readModels.get(artifactViews, claim.artifactId, viewer.canSeeArtifact);
  return viewer.canSeeFile(file, artifact);
}
