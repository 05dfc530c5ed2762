/** The directory of a blob store as a start finds it: usable, refused, or away. */
import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../core/concurrency/retry.js';
import { makeDirectory } from '../shared/make-directory.js';
import { DIRECTORY_MODE } from './durable-file.js';

/** What is not whole yet. */
export const INCOMING = 'incoming';
/** What is looked at to be removed: a blob all the same until it is. A crash may leave some for the next removal. */
export const OUTGOING = 'outgoing';

/** What is done about a directory in which no start has ever made a store, or which has lost it. */
export interface Expectation {
  /** Whether the log names bytes that the store must hold. */
  readonly hasBytes: () => Promise<boolean>;
  /** It must: the directory is not the store. Nothing is made in it. */
  readonly onAway: (reason: string) => void;
}

const AWAY =
  'the directory of files holds no bytes, but the log names some: mount its file system, or restore it from a back-up; ' +
  `if the bytes are lost for good, make the empty directory ${INCOMING} in it`;

/**
 * What a process may only read is no reason to refuse its blobs. Only the start makes directories: later, their lack
 * tells that a file system is not mounted any longer, and what is below its mount point is not the store.
 */
export async function prepare(root: string, { hasBytes, onAway }: Expectation): Promise<void> {
  if (!(await using(root, () => holdsStore(root))) && (await hasBytes())) onAway(AWAY);
  else await using(root, () => makeStore(root));
}

const PART = new RegExp(`^(${INCOMING}|${OUTGOING}|[0-9a-f]{2})$`);

/** A restore may leave out all empty directories. */
async function holdsStore(root: string): Promise<boolean> {
  try {
    return (await readdir(root)).some((name) => PART.test(name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function makeStore(root: string): Promise<void> {
  makeDirectory(root, DIRECTORY_MODE);
  await access(root, constants.R_OK | constants.X_OK);
  try {
    for (const name of [INCOMING, OUTGOING]) makeDirectory(join(root, name), DIRECTORY_MODE);
  } catch (error) {
    if (!isDenied(error)) throw error;
  }
}

async function using<T>(root: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw new Error(`The directory of files ${root} cannot be used: ${messageOf(error)}`, { cause: error });
  });
}

export const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error)));
