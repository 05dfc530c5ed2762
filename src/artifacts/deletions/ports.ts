/** What the deletion of artifacts works with. */
import { type Logger } from 'pino';
import { type ArtifactPorts } from '../ports.js';

/** Resolves once the artifact is archived, if it is to be. After a failure, the same again. */
export type Archive = (artifactId: number) => Promise<void>;

export interface DeletionPorts extends Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'> {
  readonly archive: Archive;
  readonly logger: Logger;
}
