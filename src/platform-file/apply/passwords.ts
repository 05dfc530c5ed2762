import { type Directory } from '../../definitions/definitions.js';
import { type UserCommand } from '../../users/user.js';
import { type PlanStep } from '../plan/plan-step.js';

export interface Passwords {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
}

interface Known {
  readonly directory: Directory;
  readonly passwords: Passwords;
  readonly onProgress?: () => void;
}

/** Without those that would change a password to what it is. */
export async function withoutPresentPasswords(
  steps: readonly PlanStep[],
  { directory, passwords, onProgress }: Known,
): Promise<readonly PlanStep[]> {
  const needed: PlanStep[] = [];
  // One after the other: each takes a processor and much memory on purpose.
  for (const step of steps) {
    if (step.of !== 'user' || step.password === undefined) {
      needed.push(step);
      continue;
    }
    const present = directory.user(step.command.userId);
    const isPresent = present !== undefined && (await passwords.verify(present.passwordHash, step.password));
    if (!isPresent) needed.push(step);
    onProgress?.();
  }
  return needed;
}

export async function withHash(
  { command, password }: Extract<PlanStep, { of: 'user' }>,
  hash: Passwords['hash'],
): Promise<UserCommand> {
  if (password === undefined || !('passwordHash' in command)) return command;
  return { ...command, passwordHash: await hash(password) };
}
