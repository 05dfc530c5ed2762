/**
 * Refuses a new platform in the directory of an earlier one, whose log is lost: it would give the ids of users anew, and
 * tokens from before would be those of others.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { logPath } from '../stores/sqlite/event-log/file.js';

/** To be called before the log is opened, which would make one. A start makes the log before `blobs`: `blobs` without a log have lost it. */
export function refuseMissingLog(dataDir: string): void {
  if ((statSync(logPath(dataDir), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  refuse(dataDir, 'is missing or empty', existsSync(join(dataDir, 'blobs', 'incoming')));
}

/** A start makes empty directories, and a mark of the demo without artifacts, before it appends the first event. */
export function refuseEmptyLog(dataDir: string): void {
  refuse(
    dataDir,
    'has no events',
    namesIn(join(dataDir, 'blobs')).some((name) => /^[0-9a-f]{2}$/.test(name)),
  );
}

function refuse(dataDir: string, state: string, hasBlobs: boolean): void {
  const left = [
    ...(hasBlobs ? ['blobs'] : []),
    ...(namesIn(join(dataDir, 'archive')).some((name) => name.startsWith('deleted_artifact_')) ? ['archive'] : []),
    ...(isDemoFilled(join(dataDir, 'demo.json')) ? ['demo.json'] : []),
  ];
  if (left.length === 0) return;
  throw new Error(
    `DATA_DIR ${dataDir} holds ${left.join(' and ')} of an earlier platform, but its log, log.sqlite, ${state}. A new log ` +
      'would give the ids of users to others, for whom tokens from before would be valid. Restore log.sqlite from a ' +
      'back-up; or, for a new platform, use an empty directory',
  );
}

/** Those that the service may list. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isDemoFilled(file: string): boolean {
  try {
    const { ids, complete } = JSON.parse(readFileSync(file, 'utf8')) as { ids?: unknown[]; complete?: boolean };
    return complete === true || (ids?.length ?? 0) > 0;
  } catch {
    return false;
  }
}
