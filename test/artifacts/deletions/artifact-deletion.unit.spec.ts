import { artifactDecider } from '../../../src/artifacts/artifact.js';
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { archivingDecider } from '../../../src/artifacts/archive/archiving-decider.js';
import { trackerOf } from '../../support/definitions.js';
import { specify } from '../../support/specify.js';

const artifactId = 7;
const trackerId = 101;
const submitted: ArtifactEvent = { type: 'ArtifactSubmitted', data: { artifactId, trackerId, values: {} } };
const deleted: ArtifactEvent = { type: 'ArtifactDeleted', data: { artifactId, trackerId } };
const toArchive = { linkedFrom: [{ id: 9, type: '_is_child' }] };
const deletedToArchive: ArtifactEvent = { type: 'ArtifactDeleted', data: { artifactId, trackerId, toArchive } };
const archived: ArtifactEvent = { type: 'ArtifactArchived', data: { artifactId, trackerId } };

describe('the end of an artifact', () => {
  const { given } = specify(artifactDecider);

  it('comes once', () => {
    given(submitted).when({ type: 'DeleteArtifact' }).then(deleted);
    given(submitted).when({ type: 'DeleteArtifact', toArchive }).then(deletedToArchive);
    given(submitted, deletedToArchive, archived).when({ type: 'DeleteArtifact' }).thenNothing();
  });

  it('comes to none that was never submitted', () => {
    given().when({ type: 'DeleteArtifact' }).thenProblem('not-found');
  });

  it('is the end of changes', () => {
    given(submitted, deleted)
      .when({ type: 'ChangeArtifactValues', tracker: trackerOf([]), values: {} })
      .thenProblem('not-found');
  });

  it('is archived once, where it is to be', () => {
    const archiving = specify(archivingDecider);
    archiving.given(submitted, deletedToArchive).when({ artifactId, trackerId }).then(archived);
    archiving.given(submitted, deleted).when({ artifactId, trackerId }).thenNothing();
    archiving.given(submitted).when({ artifactId, trackerId }).thenNothing();
  });
});
