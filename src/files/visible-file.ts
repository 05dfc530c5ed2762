/** Who may read a file: once it is attached, whoever may read the field that holds it; before, its owner alone. */
import { artifactViews, type ArtifactView } from '../artifacts/artifact-view.js';
import { Problem } from '../core/problem.js';
import { type Viewer } from '../directory/viewer.js';
import { fileViews, type FileView } from './file-view.js';
import { type FilePorts } from './ports.js';

type Ports = Pick<FilePorts, 'readModels' | 'directory'>;

/** What is out of reach is not told apart from what does not exist. */
export async function visibleFile(id: number, ports: Ports, viewer: Viewer): Promise<FileView> {
  const file = await ports.readModels.get(fileViews, id);
  if (file === null || !(await isVisible(file, ports, viewer))) throw new Problem('not-found', 'No such file');
  return file;
}

async function isVisible({ owner, claim }: FileView, ports: Ports, viewer: Viewer): Promise<boolean> {
  if (claim === null || !claim.settled) return viewer.user?.id === owner;
  const artifact = await ports.readModels.get(artifactViews, claim.artifactId);
  return artifact !== null && viewer.canSeeArtifact(artifact) && mayReadField(artifact, claim.fieldId, ports, viewer);
}

function mayReadField({ trackerId }: ArtifactView, fieldId: number, { directory }: Ports, viewer: Viewer): boolean {
  const tracker = directory.tracker(trackerId);
  const field = tracker?.fieldById(fieldId);
  return tracker !== undefined && field !== undefined && viewer.may('read', tracker, field);
}
