import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDamagedSecret, isShortSecret, MIN_SECRET_BYTES, splitSecrets, type Config } from '../../config/config.js';
import { codeOf, messageOf } from '../../core/concurrency/retry.js';

/** The keys of tokens: as configured, or one made at the first start and kept, so that tokens outlive a restart. */
export function jwtSecrets({ jwtSecrets: given, dataDir }: Pick<Config, 'jwtSecrets' | 'dataDir'>): readonly string[] {
  if (given.length > 0) return given;
  const file = join(dataDir, 'jwt-secret');
  try {
    return kept(file) ?? made(file, dataDir);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    // That of a read or a write names no file.
    throw new Error(`jwt-secret in DATA_DIR ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

function kept(file: string): readonly string[] | null {
  try {
    const secrets = splitSecrets(readFileSync(file, 'utf8'));
    const fault = faultOf(secrets);
    if (fault === null) return secrets;
    throw new Error(
      `${file} ${fault}: remove the file; the service then makes a new secret, and every user must sign in again`,
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A guess finds a secret that is short or damaged. */
function faultOf(secrets: readonly string[]): string | null {
  if (secrets.length === 0) return 'is empty';
  if (secrets.some(isDamagedSecret)) return 'is damaged';
  if (!secrets.some(isShortSecret)) return null;
  return `holds a secret of fewer than ${MIN_SECRET_BYTES} bytes`;
}

/** Written whole under another name first: of two processes that start at once, both end up with the first's. */
function made(file: string, dataDir: string): readonly string[] {
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secrets = kept(file);
  if (secrets === null) throw new Error(`${file} is a link to a file that is not there`);
  return secrets;
}
