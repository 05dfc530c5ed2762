import { type Viewer } from '../../authorization/viewer.js';
import { type ReadModels } from '../../core/read-models.js';
import { type FileView } from '../../files/file-view.js';
import { knownArtifact } from '../authorize.js';

/** Whether the viewer may read the file. One that is claimed is as visible as the artifact that claims it, or its history. */
export async function isVisible(
  file: Pick<FileView, 'owner' | 'claim'>,
  viewer: Viewer,
  { readModels }: { readonly readModels: ReadModels },
): Promise<boolean> {
  const { claim } = file;
  return viewer.canSeeFile(file, claim && (await knownArtifact(claim.artifactId, { readModels, viewer })));
}
