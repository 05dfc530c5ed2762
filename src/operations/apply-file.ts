import { stepsOf, type Outcome } from '../platform-file/format/outcome.js';
import { type ParsedFile } from '../platform-file/format/platform-file.js';
import { type Operations } from './operations.js';

/** Throws InvalidPlatformFile. */
export async function applyFile(
  parsed: ParsedFile,
  { apply }: Operations,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const outcome = await apply({ file: parsed.file, prune: false, env }, () => undefined);
  stepsOf(outcome as Outcome, parsed);
}
