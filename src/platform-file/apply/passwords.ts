import { type Definitions } from '../../definitions/definitions.js';
import { type UserCommand } from '../../users/user.js';
import { type PlatformFile } from '../format/platform-schema.js';
import { passwordIn } from '../plan/desired-users.js';
import { type PlanStep } from '../plan/plan-step.js';
import { type Resolver } from '../plan/resolver.js';

export interface Passwords {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
}

interface Known {
  readonly definitions: Definitions;
  readonly env: Resolver['env'];
  readonly passwords: Passwords;
  readonly onProgress?: () => void;
  readonly ended?: AbortSignal | undefined;
}

/**
 * By user name: the hashes that the passwords of the file fit. Verifying takes long: who is registered meanwhile, or gets
 * another password, is verified too.
 */
export async function presentPasswords(
  { users = [] }: PlatformFile,
  { definitions, env, passwords, onProgress, ended }: Known,
): Promise<Resolver['presentPasswords']> {
  const named = users.flatMap((entry) => {
    const password = passwordIn(entry, env);
    return password === undefined ? [] : [{ username: entry.username, password }];
  });
  const present = new Map<string, string>();
  const verified = new Map<string, string | undefined>();
  const hashOf = (username: string): string | undefined => definitions.userNamed(username)?.passwordHash;
  for (let left = named; left.length > 0;) {
    // One after the other: each takes a processor and much memory on purpose.
    for (const { username, password } of left) {
      ended?.throwIfAborted();
      const hash = hashOf(username);
      if (hash !== undefined && (await passwords.verify(hash, password))) present.set(username, hash);
      verified.set(username, hash);
      onProgress?.();
    }
    left = named.filter(({ username }) => verified.get(username) !== hashOf(username));
  }
  return present;
}

type UserStep = Extract<PlanStep, { of: 'user' }>;

/** By user name. */
export type Hashes = Map<string, string>;

/** Hashes what the steps need and an earlier try has not hashed. */
export async function addHashes(
  hashes: Hashes,
  steps: readonly PlanStep[],
  { passwords, onProgress, ended }: Pick<Known, 'passwords' | 'onProgress' | 'ended'>,
): Promise<void> {
  for (const step of steps) {
    if (step.of !== 'user' || !step.password || hashes.has(step.unique.name)) continue;
    ended?.throwIfAborted();
    hashes.set(step.unique.name, await passwords.hash(step.password));
    onProgress?.();
  }
}

export function withHash({ command, unique: { name } }: UserStep, hashes: Hashes): UserCommand {
  if (!('passwordHash' in command)) return command;
  const passwordHash = hashes.get(name);
  if (passwordHash === undefined) throw new Error(`The plan has no password for user ${name}`);
  return { ...command, passwordHash };
}
