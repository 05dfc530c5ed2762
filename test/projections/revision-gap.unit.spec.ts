import { expect } from 'chai';
import { artifacts } from '../../projections/artifacts.js';
import { files } from '../../projections/files.js';
import { platform } from '../../projections/platform.js';
import { projects } from '../../projections/projects.js';
import { svn } from '../../projections/svn.js';
import { trackers } from '../../projections/trackers.js';
import { users } from '../../projections/users.js';
import { type Event } from '../../src/core/event-log.js';
import { type Projection } from '../../src/core/projection.js';
import { projected } from '../support/projected.js';

const event = (type: string, data: object): Event => ({ type, data });

const cases: readonly {
  readonly what: string;
  readonly projection: Projection<never>;
  readonly first: Event;
  readonly later: Event;
  /** Nothing comes after `later`. */
  readonly isEnd?: boolean;
}[] = [
  {
    what: 'artifact',
    projection: artifacts,
    first: event('ArtifactSubmitted', { artifactId: 7, trackerId: 1, values: {} }),
    later: event('ArtifactValuesChanged', { artifactId: 7, trackerId: 1, values: {} }),
  },
  {
    what: 'artifact',
    projection: artifacts,
    first: event('ArtifactSubmitted', { artifactId: 8, trackerId: 1, values: {} }),
    later: event('ArtifactDeleted', { artifactId: 8 }),
    isEnd: true,
  },
  {
    what: 'artifact',
    projection: artifacts,
    first: event('ArtifactSubmitted', { artifactId: 9, trackerId: 1, values: {} }),
    later: event('FileClaimsReleased', { artifactId: 9, files: [41] }),
  },
  ...['FileChunkAdded', 'FileAttached', 'FileDetached', 'FileDiscarded'].map((type) => ({
    what: 'file',
    projection: files,
    first: event('FileUploadStarted', { fileId: 7, owner: 1, expected: null }),
    later: event(type, { fileId: 7, owner: 1, number: 1, size: 0, chunks: 0 }),
    isEnd: type === 'FileDiscarded',
  })),
  {
    what: 'list of values',
    projection: trackers,
    first: event('OpenValueAdded', { fieldId: 7, number: 1, label: 'a' }),
    later: event('OpenValueAdded', { fieldId: 7, number: 2, label: 'b' }),
  },
  {
    what: 'platform',
    projection: platform,
    first: event('AnonymousAccessSet', { allowed: true }),
    later: event('AnonymousAccessSet', { allowed: false }),
  },
  {
    what: 'project',
    projection: projects,
    first: event('ProjectRegistered', { projectId: 7 }),
    later: event('ProjectSuspended', { projectId: 7 }),
  },
  {
    what: 'repository',
    projection: svn,
    first: event('SvnRepositoryCreated', { repositoryId: 7, projectId: 1, name: 'code', settings: {} }),
    later: event('SvnSettingsReplaced', { repositoryId: 7, settings: {} }),
  },
  {
    what: 'tracker',
    projection: trackers,
    first: event('TrackerDefined', { trackerId: 7 }),
    later: event('TrackerDeleted', { trackerId: 7 }),
  },
  {
    what: 'user',
    projection: users,
    first: event('UserRegistered', { userId: 7 }),
    later: event('UserSuspended', { userId: 7 }),
  },
];

describe('a document that follows one stream', () => {
  for (const { what, projection, first, later, isEnd = false } of cases) {
    it(`notices that an event of the ${what} was not delivered before ${later.type}`, () => {
      const lost = event('Lost', {});
      expect(() =>
        projected(projection).happened('stream-7', [first, later, ...(isEnd ? [] : [later])]),
      ).to.not.throw();
      expect(() => projected(projection).happened('stream-7', [first, lost, later])).to.throw(
        `the ${what} is at revision 0, a revision between is missing`,
      );
    });
  }
});
