/** What it takes to turn the names of a file into ids, and what is wrong with them into complaints. */
import { lineFault, textFault } from '../../artifacts/fields/text.js';
import { type GroupId, type Membership } from '../../projects/project-events.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { DEFAULTS } from '../format/defaults.js';
import { desired, type Named } from './member.js';
import { type IdKind } from './new-things.js';

export interface Resolver {
  /** The present state, from the log. */
  readonly present: Definitions;
  /** The same with the link types of the file, for queries that name them. */
  readonly queried: Definitions;
  /** By the user names of the file: hashes that the passwords of the file fit. */
  readonly presentPasswords: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether what a list of the file leaves out goes out of use. */
  readonly prune: boolean;
  /** Whether pruning may suspend the last site administrator. */
  readonly force: boolean;
  /** What stands for the id of something that the file brings in. */
  readonly newId: (kind: IdKind) => number;
  readonly complain: (pointer: string, message: string) => void;
}

/** A resolver inside one project. */
export interface ProjectResolver extends Resolver {
  readonly projectId: number;
  /** As the file leaves it. */
  readonly members: Membership;
  readonly userId: (username: string) => number | undefined;
  readonly groupId: (name: string) => GroupId | undefined;
  readonly groupNames: readonly string[];
}

/** What there is of a field that a file names, if anything, and where the file does. */
export interface KnownField {
  readonly present: Partial<Field>;
  readonly pointer: string;
  readonly resolver: ProjectResolver;
}

/** Of the names that a message lists. */
const MAX_NAMED = 20;

/** The first names; a message with all of them could be as long as the file. */
export function shortList(names: readonly string[]): string {
  const others = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Complains about each item of which an earlier one has the key already. */
export function refuseDuplicates(
  keys: readonly string[],
  pointerOf: (index: number) => string,
  complain: Resolver['complain'],
): void {
  const seen = new Set<string>();
  keys.forEach((key, index) => {
    if (seen.has(key)) complain(pointerOf(index), `is listed twice: ${key}`);
    seen.add(key);
  });
}

/** Complains about a text that is new or changed. What an older platform holds may stay. */
export function refuseFaulty(
  text: string,
  present: string | undefined,
  pointer: string,
  faultOf: (text: string) => string | undefined,
  { complain }: Pick<Resolver, 'complain'>,
): void {
  const fault = text === present ? undefined : faultOf(text);
  if (fault !== undefined) complain(pointer, fault);
}

/** The same for a text of one line, whose length the schema bounds. */
export function refuseFaultyLabel(
  label: string,
  present: string | undefined,
  pointer: string,
  resolver: Pick<Resolver, 'complain'>,
): void {
  refuseFaulty(label, present, pointer, (text) => lineFault(text, 0), resolver);
}

/** The description of what lies at the pointer. */
export function desiredDescription(
  named: Named<string>,
  present: string | undefined,
  pointer: string,
  resolver: Pick<Resolver, 'complain'>,
): string {
  const text = desired(named, present, DEFAULTS.description);
  refuseFaulty(text, present, `${pointer}/description`, textFault, resolver);
  return text;
}

/**
 * The ids of names, each once: a name may be spelled in two ways. Complains about each name that `idOf` does not know, with
 * those that may be `known`.
 */
export function resolved(
  names: readonly string[],
  idOf: (name: string) => number | undefined,
  pointer: string,
  { complain }: Pick<Resolver, 'complain'>,
  known: readonly string[] = [],
): readonly number[] {
  const ids = names.flatMap((name, index) => {
    const id = idOf(name);
    if (id === undefined) complain(`${pointer}/${index}`, unknownName(name, known));
    return id ?? [];
  });
  return [...new Set(ids)];
}

/** The same for groups of the project. */
export const groupIds = (names: readonly string[], pointer: string, resolver: ProjectResolver): readonly GroupId[] =>
  resolved(names, resolver.groupId, pointer, resolver, resolver.groupNames);

export function unknownName(name: string, known: readonly string[]): string {
  return `is not known: ${name}${known.length === 0 ? '' : `; known are ${shortList(known)}`}`;
}

/** As `desired`, for a list of names: the default is given by name too. */
export function desiredIds(
  names: Named<readonly string[]>,
  present: readonly number[] | undefined,
  byDefault: readonly string[],
  resolve: (names: readonly string[]) => readonly number[],
): readonly number[] {
  if (names === undefined && present !== undefined) return present;
  return resolve(names ?? byDefault);
}
