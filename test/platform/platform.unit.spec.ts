import { platformDecider } from '../../src/platform/platform.js';
import { type LinkType } from '../../src/platform/platform-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(platformDecider);

const fixedIn: LinkType = { shortname: 'fixed_in', forwardLabel: 'Fixed in', reverseLabel: 'Fixes' };

describe('settings', () => {
  it('need no event for what holds anyway', () => {
    given().when({ type: 'SetAnonymousAccess', allowed: true }).thenNothing();
    given().when({ type: 'SetDeletionLimit', limit: 0 }).thenNothing();
    given().when({ type: 'SetArchiving', enabled: false }).thenNothing();
  });

  it('close the platform to anonymous readers', () => {
    given()
      .when({ type: 'SetAnonymousAccess', allowed: false })
      .then({ type: 'AnonymousAccessSet', data: { allowed: false } });
  });

  it('allow some deletions a day', () => {
    given()
      .when({ type: 'SetDeletionLimit', limit: 5 })
      .then({ type: 'DeletionLimitSet', data: { limit: 5 } });
  });

  it('archive what is deleted', () => {
    given()
      .when({ type: 'SetArchiving', enabled: true })
      .then({ type: 'ArchivingSet', data: { enabled: true } });
  });

  it('add a type of link, and later give it other labels', () => {
    const relabelled = { ...fixedIn, forwardLabel: 'Repaired in' };
    given().when({ type: 'SetLinkType', linkType: fixedIn }).then({ type: 'LinkTypeAdded', data: fixedIn });
    given({ type: 'LinkTypeAdded', data: fixedIn })
      .when({ type: 'SetLinkType', linkType: relabelled })
      .then({ type: 'LinkTypeRelabelled', data: relabelled });
  });
});
