/** Composition root of the work that crashes may cut off, and that is resumed. */
import { type Logger } from 'pino';
import { abandonedClaims } from '../artifacts/attachments/abandoned-claims.js';
import { interruptedArchives, interruptedDeletions } from '../artifacts/deletions/recovery.js';
import { interruptedLinks } from '../artifacts/links/recovery.js';
import { type Config } from '../config/config.js';
import { abandonedUploads, discardedFiles } from '../files/garbage-collection.js';
import { interruptedNames } from '../names/recovery.js';
import { deletionPorts, filePorts } from './http-server.js';
import { recovery, type Recovery } from './recovery.js';
import { type Service } from './service.js';

export function resumedWork(given: Service, config: Config, logger: Logger): Recovery {
  // No client waits for it: what it waits for in vain sets no reading process aside.
  const service = { ...given, readModels: given.unwatched ?? given.readModels };
  const deletions = deletionPorts(service, config, logger);
  const files = filePorts(service);
  const work = [
    interruptedLinks(service),
    interruptedDeletions(deletions),
    interruptedArchives(deletions),
    abandonedClaims(service),
    interruptedNames(service),
    abandonedUploads(files),
    discardedFiles(files),
  ];
  return recovery({ work, stores: service, clock: service.clock, logger });
}
