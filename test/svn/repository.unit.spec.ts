import { expect } from 'chai';
import { svnDecider } from '../../src/svn/repository.js';
import { svnStream, type SvnEvent, type SvnSettings } from '../../src/svn/repository-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(svnDecider);

const repositoryId = 120;
const settings: SvnSettings = {
  commitRules: { isReferenceMandatory: false, isCommitMessageChangeAllowed: false },
  immutableTags: { paths: [], whitelist: [] },
  accessFile: '',
  emailNotifications: [],
  hasDefaultPermissions: true,
};
const stricter = { ...settings, commitRules: { isReferenceMandatory: true, isCommitMessageChangeAllowed: false } };
const creation = { repositoryId, projectId: 110, name: 'repo01', settings };

const created: SvnEvent = { type: 'SvnRepositoryCreated', data: creation };
const replaced: SvnEvent = { type: 'SvnSettingsReplaced', data: { repositoryId, settings: stricter } };
const deleted: SvnEvent = { type: 'SvnRepositoryDeleted', data: { repositoryId, projectId: 110, name: 'repo01' } };

describe('an svn repository', () => {
  it('has a stream of its own', () => {
    expect(svnStream(repositoryId)).to.equal('svn-120');
  });

  it('comes into being once', () => {
    given()
      .when({ type: 'CreateSvnRepository', ...creation })
      .then(created);
    given(created)
      .when({ type: 'CreateSvnRepository', ...creation, name: 'repo02' })
      .thenProblem('conflict');
    given(created)
      .when({ type: 'CreateSvnRepository', ...creation, projectId: 111 })
      .thenProblem('conflict');
  });

  it('has its settings replaced as a whole, and not by the same ones', () => {
    given(created).when({ type: 'ReplaceSvnSettings', repositoryId, settings: stricter }).then(replaced);
    given(created).when({ type: 'ReplaceSvnSettings', repositoryId, settings }).thenNothing();
    expect(given(created, replaced).state).to.include({ name: 'repo01', settings: stricter, deleted: false });
  });

  it('is gone once deleted, and does not come back by a creation that was cut off', () => {
    given(created, replaced).when({ type: 'DeleteSvnRepository', repositoryId }).then(deleted);
    given(created, deleted).when({ type: 'ReplaceSvnSettings', repositoryId, settings }).thenProblem('not-found');
    given(created, deleted)
      .when({ type: 'CreateSvnRepository', ...creation })
      .thenNothing();
  });

  it('cannot change before there is one', () => {
    given().when({ type: 'ReplaceSvnSettings', repositoryId, settings }).thenProblem('not-found');
    given().when({ type: 'DeleteSvnRepository', repositoryId }).thenProblem('not-found');
    expect(given(replaced, deleted).state).to.equal(null);
  });
});
