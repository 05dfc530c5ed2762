import { expect } from 'chai';
import { pendingDeletions } from '../../projections/pending-deletions.js';
import { type ArtifactEvent, artifactStream } from '../../src/artifacts/artifact-events.js';
import { deletionsStream, type DeletionEvent } from '../../src/artifacts/deletions/deletion-count-events.js';
import { pendingArchiveViews, pendingDeletionViews } from '../../src/artifacts/deletions/pending-deletions-view.js';
import { projected } from '../support/projected.js';

const AT = '2026-03-01T12:00:00.000Z';
/** The command of the third event, as the projection is shown it. */
const THIRD = 'c-3';
const counted: DeletionEvent = {
  type: 'DeletionCounted',
  data: { userId: 101, artifactId: 7, deletionId: THIRD, at: AT },
};
const other: DeletionEvent = { type: 'DeletionCounted', data: { userId: 102, artifactId: 7, deletionId: 'x', at: AT } };
const deleted = (toArchive?: { linkedFrom: [] }): ArtifactEvent => ({
  type: 'ArtifactDeleted',
  data: { artifactId: 7, trackerId: 1, ...(toArchive && { toArchive }) },
});

describe('pending deletions', () => {
  const counts = () =>
    projected(pendingDeletions).happened(deletionsStream(101), [counted]).happened(deletionsStream(102), [other]);

  it('are the counts without their deletion', () => {
    const view = counts();
    expect(view.document(pendingDeletionViews, THIRD)).to.deep.equal({ id: THIRD, userId: 101, artifactId: 7, at: AT });
    view.happened(artifactStream(7), [deleted()]);
    expect(view.document(pendingDeletionViews, THIRD)).to.equal(null);
    expect(view.document(pendingDeletionViews, 'x'), 'that of another user').not.to.equal(null);
  });

  it('tell the revision that was meant', () => {
    const meant: DeletionEvent = {
      type: 'DeletionCounted',
      data: { userId: 102, artifactId: 7, deletionId: 'x', at: AT, upon: 3 },
    };
    const view = projected(pendingDeletions).happened(deletionsStream(102), [meant]);
    expect(view.document(pendingDeletionViews, 'x')).to.include({ upon: 3 });
  });

  it('end with their release', () => {
    const view = counts().happened(deletionsStream(102), [
      { type: 'DeletionReleased', data: { userId: 102, artifactId: 7, deletionId: 'x' } },
    ]);
    expect(view.document(pendingDeletionViews, 'x')).to.equal(null);
    expect(view.document(pendingDeletionViews, THIRD)).not.to.equal(null);
  });

  it('leave an archive to be written where there is to be one', () => {
    expect(counts().happened(artifactStream(7), [deleted()]).document(pendingArchiveViews, 7)).to.equal(null);
    const view = counts().happened(artifactStream(7), [deleted({ linkedFrom: [] })]);
    expect(view.document(pendingArchiveViews, 7)).to.deep.equal({ id: 7, at: AT });
    view.happened(artifactStream(7), [{ type: 'ArtifactArchived', data: { artifactId: 7, trackerId: 1 } }]);
    expect(view.document(pendingArchiveViews, 7)).to.equal(null);
  });
});
