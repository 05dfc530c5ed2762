/** The service with a clock that specs move, and short words for deletions. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.js';
import { handle } from '../../../src/core/handle.js';
import { type DeletionPorts } from '../../../src/artifacts/deletions/ports.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { PENDING_DELETIONS } from '../../../src/artifacts/deletions/pending-deletions-view.js';
import { deletionPorts } from '../../../src/composition/http-server.js';
import { platformDecider, type PlatformCommand } from '../../../src/platform/platform.js';
import { PLATFORM_STREAM } from '../../../src/platform/platform-events.js';
import { PLATFORM } from '../../../src/platform/platform-view.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { type Answer } from '../../support/client.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

export interface DeletionApi extends ArtifactApi {
  /** As bob, who administers the bugs; with his password, which outlives a day. */
  remove(id: number, as?: string): Promise<Answer>;
  /** As bob, under conditions. */
  removeIf(id: number, headers: Record<string, string>): Promise<Answer>;
  settings(command: PlatformCommand): Promise<void>;
  /** A directory of this service alone. */
  readonly scratch: string;
  readonly archiveDir: string;
  secondsAhead(seconds: number): void;
  ports(archiveDir?: string): DeletionPorts;
  /** Once the pending steps are known of everything in the log. */
  caughtUp(): Promise<void>;
  stopAll(): Promise<void>;
}

export async function deletionApi(files: TemporaryDirectory, env: Record<string, string> = {}): Promise<DeletionApi> {
  const clockFile = join(files.path, 'offset');
  const dataDir = join(files.path, 'data');
  const secondsAhead = (seconds: number): void => {
    writeFileSync(clockFile, String(seconds));
  };
  secondsAhead(0);
  const given = { DATA_DIR: dataDir, TEST_CLOCK_OFFSET_FILE: clockFile, ...env };
  const api = await artifactApi({ env: given });
  const { log, readModels, clock } = api.service;
  return {
    ...api,
    scratch: files.path,
    archiveDir: join(dataDir, 'archive'),
    secondsAhead,
    remove: (id, as = 'bob') => api.request('DELETE', `/artifacts/${id}`, { headers: withPassword(as) }),
    removeIf: (id, headers) =>
      api.request('DELETE', `/artifacts/${id}`, { headers: { ...withPassword('bob'), ...headers } }),
    settings: async (command) => {
      const { position } = await handle(log, platformDecider, {
        stream: PLATFORM_STREAM,
        commandId: randomUUID(),
        metadata: { actor: null, at: clock().toISOString() },
        command: () => command,
      });
      if (position !== null) await readModels.caughtUp(PLATFORM, position);
    },
    ports: (archiveDir) => {
      const config = readConfig({ ...given, NODE_ENV: 'test', ...(archiveDir && { ARCHIVE_DIR: archiveDir }) });
      return deletionPorts(api.service, config, pino({ level: 'silent' }));
    },
    caughtUp: async () => {
      const end = await log.end();
      if (end === null) return;
      await Promise.all([PENDING_DELETIONS, ARTIFACTS].map((name) => readModels.caughtUp(name, end, 10_000)));
    },
    stopAll: async () => {
      await api.stop();
      await files.remove();
    },
  };
}

const withPassword = (username: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${username}'s password`).toString('base64')}`,
});

export const freshDeletionApi = async (env: Record<string, string> = {}): Promise<DeletionApi> =>
  deletionApi(await temporaryDirectory(), env);

export const allowance = ({ headers }: Answer): readonly (string | null)[] => [
  headers.get('x-ratelimit-limit'),
  headers.get('x-ratelimit-remaining'),
];
