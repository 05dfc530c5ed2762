/** A file in a data directory that a migration fills: its log may hold only the beginning of another one. */
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock } from '../../core/clock.js';
import { syncDirectory, written } from './durable-file.js';

interface Mark {
  readonly source: 'production';
  /** Id of the first event of the source. */
  readonly firstEvent: string;
  readonly since: string;
}

const pathIn = (dataDir: string): string => join(dataDir, 'migrating.json');

/** Is on the disk once it resolves. Throws if the mark of a migration from another source is there. */
export async function markMigration(dataDir: string, firstEvent: string, clock: Clock): Promise<void> {
  const path = pathIn(dataDir);
  const other = markIn(path);
  if (other?.firstEvent !== undefined && other.firstEvent !== firstEvent) {
    throw new Error(
      `${path} names the migration of another log, begun at ${other.since ?? 'an unknown time'}: its first event is ` +
        `${other.firstEvent}, that of the source is ${firstEvent}. Name the other source, or use an empty directory`,
    );
  }
  const mark: Mark = { source: 'production', firstEvent, since: clock().toISOString() };
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  await written(temporary, bytesOf(mark), clock);
  await rename(temporary, path);
  await syncDirectory(dataDir);
}

export async function removeMigrationMark(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
  await syncDirectory(dataDir);
}

/** Why no service may use a directory; null if no migration into it has been cut short. */
export function unfinishedMigration(dataDir: string): Error | null {
  const path = pathIn(dataDir);
  if (!existsSync(path)) return null;
  return new Error(
    `DATA_DIR ${dataDir} may lack the last events of its platform: ${path} tells of a migration, begun at ` +
      `${markIn(path)?.since ?? 'an unknown time'}, that has not ended. Run "migrate --from production --to embedded" ` +
      'again until its status is 0; or, for a new platform, use an empty directory',
  );
}

export function refuseUnfinishedMigration(dataDir: string): void {
  const unfinished = unfinishedMigration(dataDir);
  if (unfinished !== null) throw unfinished;
}

/** Null also for what this process may not read, or what is no mark: that the file is there is enough. */
function markIn(path: string): Partial<Mark> | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Mark> | null;
  } catch {
    return null;
  }
}

async function* bytesOf(mark: Mark): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(`${JSON.stringify(mark)}\n`));
}
