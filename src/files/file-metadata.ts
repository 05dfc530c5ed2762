/** What people say of a file, checked before it is stored. */
import { Problem, type Violation } from '../core/problem.js';
import { type FileInfo } from './file-events.js';

const MAX_NAME_BYTES = 255;
const MAX_TYPE_BYTES = 255;
const MAX_DESCRIPTION_BYTES = 4096;
const UNKNOWN_TYPE = 'application/octet-stream';

interface Refused {
  readonly characters: RegExp;
  readonly words: string;
}

const CONTROL: Refused = { characters: /\p{Cc}/u, words: 'control characters' };
const CONTROL_IN_TEXT: Refused = { ...CONTROL, characters: /[^\P{Cc}\t\n\r]/u };
/** An archive has the type in an attribute, and XML 1.0 has neither of the two characters. */
const REFUSED_IN_TYPE: Refused = {
  characters: /[\p{Cc}\uFFFE\uFFFF]/u,
  words: 'control characters, U+FFFE or U+FFFF',
};

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
    ...faults(`/${typeMember}`, mediaType, MAX_TYPE_BYTES, REFUSED_IN_TYPE),
    ...faults('/description', description, MAX_DESCRIPTION_BYTES, CONTROL_IN_TEXT),
  ];
  const [first] = details;
  if (first !== undefined) throw new Problem('invalid', `${first.pointer} ${first.message}`, { details });
  return { name, mediaType: mediaType === '' ? UNKNOWN_TYPE : mediaType, description };
}

function faults(pointer: string, text: string, maxBytes: number, { characters, words }: Refused): readonly Violation[] {
  const isLong = Buffer.byteLength(text) > maxBytes;
  return [
    ...(isLong ? [{ pointer, message: `takes at most ${maxBytes} bytes` }] : []),
    ...(characters.test(text) ? [{ pointer, message: `holds ${words}` }] : []),
  ];
}
