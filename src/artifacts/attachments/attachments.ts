/** Files that a write attaches: which files are allowed. */
import { MAX_NEW_FILES } from '../../core/bounds.js';
import { Problem, type Violation } from '../../core/problem.js';
import { isClaimedFor, isComplete, type File } from '../../files/file.js';
import { fileById, hasLastChunk } from '../../files/commands.js';
import { maxFileSize, type Field } from '../../trackers/field-types/definition.js';
import { type FieldValues } from '../../trackers/field-types/field-value.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import { type ParsedValues } from '../fields/parse-values.js';
import { refuseViolations } from '../fields/violations.js';
import { type Caller } from '../../authorization/caller.js';
import { type ArtifactPorts, type ArtifactWrite } from '../ports.js';
import { attachedFiles } from './claims.js';
import { isVisible } from './is-visible.js';

/** A file that is not the artifact's yet. */
export interface NewFile {
  readonly fileId: number;
  readonly fieldId: number;
  /** In bytes: what the field takes. */
  readonly maxSize: number;
}

type Ports = Pick<ArtifactPorts, 'log' | 'clock' | 'readModels' | 'blobs'>;

/** Throws when one of them may not be attached, or in two fields. Those that the artifact has or had in the field are no news. */
export async function newFiles(
  { values, pointers }: ParsedValues,
  request: ArtifactWrite,
  ports: Ports,
): Promise<readonly NewFile[]> {
  const named = request.tracker.ofType('file').flatMap((field) => namedIn(field, values, request));
  if (named.length > MAX_NEW_FILES) throw new Problem('invalid', `At most ${MAX_NEW_FILES} files are attached at once`);
  const attached = onceEach((artifactId: number) => attachedFiles(artifactId, ports.log));
  const looked = await Promise.all(named.map((each) => look(each, { ...request, attached }, ports)));
  const faults = named.flatMap(({ field, fileId }, index): readonly Violation[] => {
    const isAgain = named.findIndex((other) => other.fileId === fileId) < index;
    const fault = looked[index]?.fault ?? (isAgain ? 'is named in another field, too' : null);
    if (fault === null) return [];
    return [{ pointer: pointers.get(field.id) ?? '/values', message: `${field.label}: the file ${fileId} ${fault}` }];
  });
  refuseViolations(faults);
  return named.flatMap(({ field, fileId }, index) =>
    looked[index]?.isNew === true ? [{ fileId, fieldId: field.id, maxSize: maxFileSize(field) }] : [],
  );
}

interface Named {
  readonly field: Field;
  readonly fileId: number;
}

function namedIn(field: Field, values: FieldValues, { artifact }: Pick<ArtifactWrite, 'artifact'>): readonly Named[] {
  const held = new Set(numbersOf(artifact?.values[String(field.id)]));
  return numbersOf(values[String(field.id)])
    .filter((id) => !held.has(id))
    .map((fileId) => ({ field, fileId }));
}

interface Look {
  /** What speaks against it. */
  readonly fault: string | null;
  readonly isNew: boolean;
}

async function look(named: Named, request: Looking, ports: Ports): Promise<Look> {
  const file = await fileById(named.fileId, ports);
  return file === null ? NOT_YOURS : lookAt(file, named, request, ports);
}

interface Looking extends Pick<ArtifactWrite, 'artifact' | 'caller'> {
  readonly attached: (artifactId: number) => Promise<ReadonlySet<number>>;
}

/** Streams may be long, and many files may be of one artifact. */
function onceEach<T>(load: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const loaded = new Map<number, Promise<T>>();
  return (id) => {
    const result = loaded.get(id) ?? load(id);
    loaded.set(id, result);
    return result;
  };
}

async function lookAt(
  file: File,
  { field }: Named,
  { artifact, caller, attached }: Looking,
  ports: Ports,
): Promise<Look> {
  const { claim, info } = file;
  const isInSight =
    claim !== null &&
    (await isVisible({ owner: info.owner, claim: { ...claim, settled: true } }, caller.viewer, ports));
  // Only for a file of their own is a stream read of an artifact that the caller may not see.
  if (!isInSight && !isOwner(file, caller)) return NOT_YOURS;
  // Until an event of the artifact says so, a claim is none.
  if (claim === null || !(await attached(claim.artifactId)).has(file.id)) {
    return { fault: await newFault(file, field, caller, ports), isNew: true };
  }
  if (!isInSight) return NOT_YOURS;
  return { fault: isBack(file, field, artifact) ? null : 'is attached to another artifact or field', isNew: false };
}

const isBack = (file: File, { id: fieldId }: Field, artifact: Looking['artifact']): boolean =>
  artifact !== undefined && isClaimedFor(file, { artifactId: artifact.id, fieldId });

async function newFault(file: File, field: Field, caller: Caller, ports: Ports): Promise<string | null> {
  const fault = faultOf(file, field, caller);
  return fault !== null || (await hasLastChunk(file, ports)) ? fault : 'has lost bytes; upload it again';
}

const UNKNOWN = 'is not one of your uploads';
const NOT_YOURS: Look = { fault: UNKNOWN, isNew: false };

/** Another user's file gets the answer of a missing one. */
function faultOf(file: File, field: Field, caller: Caller): string | null {
  return file.status === 'kept' && isOwner(file, caller) ? misfit(file, field) : UNKNOWN;
}

const isOwner = ({ info }: File, { viewer }: Caller): boolean => info.owner === viewer.user?.id;

function misfit(file: File, field: Field): string | null {
  const { fieldId } = file.info;
  if (!isComplete(file)) return 'has not been uploaded completely';
  if (fieldId !== null && fieldId !== field.id) return 'was uploaded for another field';
  return file.size > maxFileSize(field) ? `has more than ${maxFileSize(field)} bytes` : null;
}
