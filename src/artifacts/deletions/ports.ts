/** What the deletion of artifacts works with. */
import { type Logger } from 'pino';
import { type Archive } from '../archive/archive.js';
import { type ArtifactPorts } from '../ports.js';

export interface DeletionPorts extends Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'> {
  readonly archive: Archive;
  readonly logger: Logger;
}
