/** Who may read a file: once it is attached, whoever may read the field that holds it; before, its owner alone. */
import { refuseMarked } from '../core/marks.js';
import { Problem } from '../core/problem.js';
import { type Viewer } from '../authorization/viewer.js';
import { fileStream } from './file-events.js';
import { fileViews, type FileView } from './file-view.js';
import { type FilePorts } from './commands.js';

type Ports = Pick<FilePorts, 'readModels' | 'isVisible'>;

/** What is out of reach is not told apart from what does not exist. */
export async function visibleFile(id: number, ports: Ports, viewer: Viewer): Promise<FileView> {
  const file = await ports.readModels.get(fileViews, id);
  if (file === null || (await ports.isVisible(file, viewer))) {
    refuseMarked(ports.readModels.marks(fileViews.name), fileStream(id));
    if (file !== null) return file;
  }
  throw new Problem('not-found', 'No such file');
}
