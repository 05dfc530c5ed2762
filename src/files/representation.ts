/** A file as clients read it. */
import { type FileInfo } from './file-events.js';

interface Described extends FileInfo {
  readonly id: number;
  readonly size: number;
}

/** Where its bytes are downloaded, outside /api. */
export const downloadHref = (id: number, name: string): string =>
  `/plugins/tracker/attachments/${id}-${encodeURIComponent(name)}`;

export const uploadHref = (id: number): string => `/uploads/tracker/file/${id}`;

/** An element of `file_descriptions`. No previews are made. */
export const attachedFile = (file: Described) => describe(file, downloadHref(file.id, file.name));

export const temporaryFile = (file: Described) => describe(file, null);

function describe({ id, owner, name, mediaType, description, size }: Described, htmlUrl: string | null) {
  return {
    id,
    submitted_by: owner,
    description,
    name,
    size,
    type: mediaType,
    html_url: htmlUrl,
    html_preview_url: null,
    uri: `artifact_files/${id}`,
  };
}
