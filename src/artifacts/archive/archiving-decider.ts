/** Whether an artifact's archive is written: folded from the artifact's own stream, apart from the rules of the living. */
import { type ArtifactEvent } from '../artifact-events.js';
import { type Decider } from '../../core/decider.js';

export interface RecordArchived {
  readonly artifactId: number;
  readonly trackerId: number;
}

export const archivingDecider: Decider<'none' | 'wanted' | 'written', RecordArchived, ArtifactEvent> = {
  initialState: 'none',

  decide: ({ artifactId, trackerId }, archive) =>
    archive === 'wanted' ? [{ type: 'ArtifactArchived', data: { artifactId, trackerId } }] : [],

  evolve(archive, { type, data }) {
    switch (type) {
      case 'ArtifactSubmitted':
      case 'ArtifactValuesChanged':
      case 'FileClaimsReleased':
        return archive;
      case 'ArtifactDeleted':
        return data.toArchive === undefined ? 'none' : 'wanted';
      case 'ArtifactArchived':
        return 'written';
    }
  },
};
