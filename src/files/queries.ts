/** What the GET routes of files answer, apart from HTTP and from the bytes. */
import { refuseMarked } from '../core/marks.js';
import { Problem } from '../core/problem.js';
import { pageById, type FoundPage } from '../http/pages/list-page.js';
import { type PageQuery } from '../http/pages/pagination.js';
import { type Viewer } from '../authorization/viewer.js';
import { fileStream } from './file-events.js';
import { diskUsageViews, fileViews, TEMPORARY_KEY, type FileView } from './file-view.js';
import { type FilePorts } from './ports.js';

type Ports = Pick<FilePorts, 'readModels' | 'isVisible'>;

/**
 * Once it is attached, every user who may read the field that holds it may read it; before, its owner alone. What is out of
 * reach is not told apart from what does not exist.
 */
export async function visibleFile(id: number, ports: Ports, viewer: Viewer): Promise<FileView> {
  const file = await ports.readModels.get(fileViews, id);
  if (file === null || (await ports.isVisible(file, viewer))) {
    refuseMarked(ports.readModels.marks(fileViews.name), fileStream(id));
    if (file !== null) return file;
  }
  throw new Problem('not-found', 'No such file');
}

/** Temporary files that came in chunks. */
export async function ownUploads(
  userId: number,
  page: PageQuery,
  { readModels }: Pick<FilePorts, 'readModels'>,
): Promise<FoundPage<FileView>> {
  const where = [{ type: 'any-of', key: TEMPORARY_KEY, values: [userId] }] as const;
  const found = await pageById((paged) => readModels.find(fileViews, { where, ...paged }), page);
  for (const { id } of found.items) refuseMarked(readModels.marks(fileViews.name), fileStream(id));
  return found;
}

export async function diskUsage(userId: number, { readModels }: Pick<FilePorts, 'readModels'>): Promise<number> {
  return (await readModels.get(diskUsageViews, userId))?.bytes ?? 0;
}
