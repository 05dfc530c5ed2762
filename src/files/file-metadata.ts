/** What people say of a file, checked before it is stored. */
import { Problem, type Violation } from '../core/problem.js';
import { type FileInfo } from './file-events.js';

const MAX_NAME_BYTES = 255;
const MAX_TYPE_BYTES = 255;
const MAX_DESCRIPTION_BYTES = 4096;
const CONTROL = /\p{Cc}/u;
const CONTROL_IN_TEXT = /[^\P{Cc}\t\n\r]/u;
const UNKNOWN_TYPE = 'application/octet-stream';

export interface FileMetadata {
  readonly name: string;
  readonly mediaType: string;
  readonly description?: string | null | undefined;
}

/** `typeMember`: what the body calls the type. */
export function checkedFileMetadata(
  words: FileMetadata,
  typeMember: string,
): Pick<FileInfo, 'name' | 'mediaType' | 'description'> {
  const { name, mediaType } = words;
  const description = words.description ?? '';
  const details = [
    ...faults('/name', name, MAX_NAME_BYTES, CONTROL),
    ...faults(`/${typeMember}`, mediaType, MAX_TYPE_BYTES, CONTROL),
    ...faults('/description', description, MAX_DESCRIPTION_BYTES, CONTROL_IN_TEXT),
  ];
  const [first] = details;
  if (first !== undefined) throw new Problem('invalid', `${first.pointer} ${first.message}`, { details });
  return { name, mediaType: mediaType === '' ? UNKNOWN_TYPE : mediaType, description };
}

function faults(pointer: string, text: string, maxBytes: number, refused: RegExp): readonly Violation[] {
  const isLong = Buffer.byteLength(text) > maxBytes;
  return [
    ...(isLong ? [{ pointer, message: `takes at most ${maxBytes} bytes` }] : []),
    ...(refused.test(text) ? [{ pointer, message: 'holds control characters' }] : []),
  ];
}
