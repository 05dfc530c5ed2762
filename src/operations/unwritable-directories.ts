/** The start warns of directories that the service cannot write to. */
import { join } from 'node:path';
import { type Logger } from 'pino';
import { whyNotWritable } from '../artifacts/archive/archive-file.js';
import { type Service } from '../composition/service.js';
import { type Config } from '../config/config.js';

export async function warnOfDirectories(
  { servers, dataDir, archiveDir }: Config,
  { definitions }: Pick<Service, 'definitions'>,
  logger: Logger,
): Promise<void> {
  const filesDir = servers === undefined ? join(dataDir, 'blobs') : servers.filesDir;
  if (filesDir !== undefined) {
    const reason = (await whyNotWritable(filesDir)) ?? (await whyNotWritable(join(filesDir, 'incoming')));
    if (reason !== null)
      logger.warn({ filesDir, reason }, 'the directory of files cannot be written: uploads are refused');
  }
  if (!definitions.platform().archiveDeletedArtifacts) return;
  const reason = await whyNotWritable(archiveDir);
  if (reason === null) return;
  logger.warn({ archiveDir, reason }, 'ARCHIVE_DIR cannot be written: deleted artifacts are not archived');
}
