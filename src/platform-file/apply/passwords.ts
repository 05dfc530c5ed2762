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

/**
 * Without the steps that would change a password to what it is. To verify passwords takes long: what happens meanwhile
 * is planned for anew.
 */
export async function withoutPresentPasswords<Made extends { readonly steps: readonly PlanStep[] }>(
  planned: () => Made,
  known: Known,
): Promise<Made> {
  const arePresent = new Map<string | null, boolean>();
  for (;;) {
    const made = planned();
    const isUnverified = (step: PlanStep): boolean => !arePresent.has(passwordKey(step, known));
    const unverified = made.steps.filter(withPassword).filter(isUnverified);
    if (unverified.length === 0) {
      return { ...made, steps: made.steps.filter((step) => arePresent.get(passwordKey(step, known)) !== true) };
    }
    // One after the other: each takes a processor and much memory on purpose.
    for (const step of unverified) {
      arePresent.set(passwordKey(step, known), await isPresent(step, known));
      known.onProgress?.();
    }
  }
}

type UserStep = Extract<PlanStep, { of: 'user' }>;
type PasswordStep = UserStep & { readonly password: string };

const withPassword = (step: PlanStep): step is PasswordStep => step.of === 'user' && step.password !== undefined;

/** Of a user and the password that the user has. */
function passwordKey(step: PlanStep, { directory }: Known): string | null {
  if (!withPassword(step)) return null;
  return JSON.stringify([step.unique.name, directory.user(step.command.userId)?.passwordHash]);
}

async function isPresent(
  { command: { userId }, password }: PasswordStep,
  { directory, passwords }: Known,
): Promise<boolean> {
  const present = directory.user(userId);
  return present !== undefined && (await passwords.verify(present.passwordHash, password));
}

export async function withHash({ command, password }: UserStep, hash: Passwords['hash']): Promise<UserCommand> {
  if (password === undefined || !('passwordHash' in command)) return command;
  return { ...command, passwordHash: await hash(password) };
}
