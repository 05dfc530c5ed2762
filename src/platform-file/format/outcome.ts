import { InvalidPlatformFile, type Complaint } from './file-error.js';
import { type ParsedFile } from './platform-file.js';

/** Of a plan, or of its application: steps in words, or what is wrong with the file. */
export type Outcome = { readonly steps: readonly string[] } | { readonly complaints: readonly Complaint[] };

/** The steps. Throws InvalidPlatformFile with the lines of the complaints. */
export function stepsOf(outcome: Outcome, { located }: Pick<ParsedFile, 'located'>): readonly string[] {
  if ('steps' in outcome) return outcome.steps;
  throw new InvalidPlatformFile(located(outcome.complaints));
}
