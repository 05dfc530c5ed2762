import { expect } from 'chai';
import { platform } from '../../projections/platform.js';
import { platformViews } from '../../src/platform/platform-view.js';
import { type PlatformEvent } from '../../src/platform/platform-events.js';
import { projected } from '../support/projected.js';

describe('the document of the platform', () => {
  it('holds the defaults of what was never set', () => {
    const linkType = { shortname: 'fixed_in', forwardLabel: 'Fixed in', reverseLabel: 'Fixes' };
    const events: readonly PlatformEvent[] = [
      { type: 'DeletionLimitSet', data: { limit: 5 } },
      { type: 'LinkTypeAdded', data: linkType },
    ];
    expect(projected(platform).happened('platform-1', events).document(platformViews, 1)).to.deep.equal({
      id: 1,
      revision: 1,
      anonymousAccess: true,
      artifactDeletionLimit: 5,
      archiveDeletedArtifacts: false,
      linkTypes: [linkType],
    });
  });
});
