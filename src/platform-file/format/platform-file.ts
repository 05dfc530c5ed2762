/** From text to a value of the file's shape, or every error with its line. What names refer to is not looked at here. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import { heapSize } from '../../core/bounds.js';
import { type Complaint, type FileError, InvalidPlatformFile } from './file-error.js';
import { aliasError, syntaxErrors } from './yaml-error.js';
import { yamlLineOf } from './yaml-line.js';
import { platformSchema, type PlatformFile } from './platform-schema.js';
import { complaintOf } from './schema-complaint.js';

export interface ParsedFile {
  readonly file: PlatformFile;
  /** Gives complaints about the file their lines, in the order of the lines. */
  readonly located: (complaints: readonly Complaint[]) => readonly FileError[];
}

const MAX_BYTES = 16 * 1024 * 1024;
/** More than a person writes; an alias of aliases of aliases needs thousands. */
const MAX_ALIASES = 1000;

/** Of the heap, about: what aliases repeat is small in the file, but not as a value. */
const MAX_REPEATED = 128 * 1024 * 1024;
const REPEATED_TOO_OFTEN =
  'The file is larger than 128 MiB once its aliases are replaced, or one of them is within its own anchor';

/** Of fieldsets and columns, one within the other: the check against the schema is a recursion. */
const MAX_FIELDSETS = 32;
/** One within the other, down to the fields. */
const LISTS: readonly string[] = ['projects', 'trackers', 'fields'];
const MAX_LISTS = LISTS.length + MAX_FIELDSETS;
const TOO_DEEP = `is nested too deeply: at most ${MAX_FIELDSETS} fieldsets or columns are within each other`;

let compiled: ValidateFunction<PlatformFile> | undefined;

/** Compiled for the first file: that takes longer than all else that a start without a file loads. */
function schemaCheck(): ValidateFunction<PlatformFile> {
  return (compiled ??= new Ajv2020({
    allErrors: true,
    // Whether the schema itself is valid is for the specs to see.
    validateSchema: false,
    // The complaints name what the schema allows.
    verbose: true,
    discriminator: true,
    allowUnionTypes: true,
  }).compile<PlatformFile>(platformSchema));
}

export const TOO_LARGE = 'The file is larger than 16 MiB';
export const isTooLarge = (text: string): boolean => Buffer.byteLength(text) > MAX_BYTES;

/** YAML 1.2, of which JSON is a part. Throws InvalidPlatformFile. */
export function parsePlatformFile(text: string): ParsedFile {
  if (isTooLarge(text)) refuse([{ line: 1, pointer: '', message: TOO_LARGE }]);
  const lines = new LineCounter();
  // The tags of other schemas make objects whose members no schema of JSON sees, also after %YAML 1.1.
  const tags = { schema: 'core', resolveKnownTags: false } as const;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, ...tags });
  const located: ParsedFile['located'] = (complaints) =>
    complaints
      .map((complaint) => ({ ...complaint, line: yamlLineOf(document, lines, complaint.pointer) }))
      .sort((a, b) => a.line - b.line);

  refuse(syntaxErrors(document, lines));
  if (document.contents === null) refuse([{ line: 1, pointer: '', message: 'The file is empty' }]);
  const value = valueOf(document, lines);
  if (heapSize(value, MAX_REPEATED) > MAX_REPEATED) {
    refuse([{ line: 1, pointer: '', message: REPEATED_TOO_OFTEN }]);
  }
  const deep = tooDeep(value);
  if (deep !== null) refuse(located([{ pointer: deep, message: TOO_DEEP }]));
  const isPlatformFile = schemaCheck();
  if (isPlatformFile(value)) return { file: value, located };
  throw new InvalidPlatformFile(located((isPlatformFile.errors ?? []).map(complaintOf)));
}

function refuse(errors: readonly FileError[]): void {
  if (errors.length > 0) throw new InvalidPlatformFile(errors);
}

/** Pointer to the first list of fields that is nested more deeply. By an alias, a value may hold itself. */
function tooDeep(value: unknown, pointer = '', left = MAX_LISTS): string | null {
  for (const [member, inner] of listsIn(value)) {
    const here = `${pointer}/${member}`;
    if (left === 0) return here;
    for (const [index, item] of inner.entries()) {
      const found = tooDeep(item, `${here}/${index}`, left - 1);
      if (found !== null) return found;
    }
  }
  return null;
}

const listsIn = (value: unknown) =>
  Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
    (entry): entry is [string, unknown[]] => LISTS.includes(entry[0]) && Array.isArray(entry[1]),
  );

function valueOf(document: Document.Parsed, lines: LineCounter): unknown {
  // The log has no -0: it would be a change for ever.
  visit(document, {
    Scalar: (_, scalar) => {
      if (Object.is(scalar.value, -0)) scalar.value = 0;
    },
  });
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // An alias without its anchor, or a great many of them.
    if (!(error instanceof ReferenceError)) throw error;
    throw new InvalidPlatformFile([aliasError(document, lines)]);
  }
}
