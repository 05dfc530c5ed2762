import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitSecrets, type Config } from '../config.js';

/** The keys of tokens: as configured, or one made at the first start and kept, so that tokens outlive a restart. */
export function jwtSecrets({ jwtSecrets: given, dataDir }: Pick<Config, 'jwtSecrets' | 'dataDir'>): readonly string[] {
  if (given.length > 0) return given;
  const file = join(dataDir, 'jwt-secret');
  return kept(file) ?? made(file, dataDir);
}

function kept(file: string): readonly string[] | null {
  try {
    const secrets = splitSecrets(readFileSync(file, 'utf8'));
    if (secrets.length === 0) throw new Error(`${file} is empty: remove it, a new secret is then made`);
    return secrets;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Written whole under another name first: of two processes that start at once, both end up with the first's. */
function made(file: string, dataDir: string): readonly string[] {
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  return kept(file) ?? made(file, dataDir);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
