import { type Directory } from '../../definitions/definitions.js';
import { type PlatformFile, type UserEntry } from '../format/platform-schema.js';

export interface Passwords {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
}

interface Known {
  readonly directory: Directory;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passwords: Passwords;
  readonly onProgress?: () => void;
}

/** Hashes of the passwords that the present ones do not match, by user name as the file spells it. */
export async function newPasswords(
  { users = [] }: PlatformFile,
  known: Known,
  hash: Passwords['hash'],
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  // One after the other: each takes a processor and much memory on purpose.
  for (const user of users) {
    const password = await changedPassword(user, known);
    if (password !== undefined) hashes.set(user.username, await hash(password));
    known.onProgress?.();
  }
  return hashes;
}

async function changedPassword(
  { username, password, password_env: variable }: UserEntry,
  { directory, env, passwords }: Known,
): Promise<string | undefined> {
  const desired = variable === undefined ? password : env[variable];
  const present = directory.userNamed(username);
  if (desired === undefined || present === undefined) return desired;
  return (await passwords.verify(present.passwordHash, desired)) ? undefined : desired;
}
