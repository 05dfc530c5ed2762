/** A file as clients read it. */
import { downloadHref } from './addresses.js';
import { type FileInfo } from './file-events.js';

interface Described extends FileInfo {
  readonly id: number;
  readonly size: number;
}

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
