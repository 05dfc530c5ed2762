import { expect } from 'chai';
import { svn } from '../../projections/svn.js';
import { svnNameId, svnNameViews, svnRepositoryViews } from '../../src/svn/repository-view.js';
import { type SvnEvent, type SvnSettings } from '../../src/svn/repository-events.js';
import { projected } from '../support/projected.js';

const settings: SvnSettings = {
  commitRules: { isReferenceMandatory: false, isCommitMessageChangeAllowed: false },
  immutableTags: { paths: ['/tags'], whitelist: [] },
  accessFile: '',
  emailNotifications: [],
  hasDefaultPermissions: true,
};
const heading = { projectId: 110, name: 'Repo01' };
const created = (repositoryId: number): SvnEvent => ({
  type: 'SvnRepositoryCreated',
  data: { repositoryId, ...heading, settings },
});
const deleted = (repositoryId: number): SvnEvent => ({
  type: 'SvnRepositoryDeleted',
  data: { repositoryId, ...heading },
});
const accessFile = '[/]\n* = r\n';
const replaced: SvnEvent = {
  type: 'SvnSettingsReplaced',
  data: { repositoryId: 120, settings: { ...settings, accessFile } },
};

describe('the documents of an svn repository', () => {
  const nameId = svnNameId(110, 'Repo01');

  it('hold the repository and its place among the names of its project', () => {
    const view = projected(svn).happened('svn-120', [created(120), replaced]);
    expect(view.document(svnRepositoryViews, 120)).to.deep.equal({
      id: 120,
      ...heading,
      settings: { ...settings, accessFile },
      revision: 1,
    });
    const name = { id: nameId, repositoryId: 120, ...heading };
    expect(view.document(svnNameViews, nameId)).to.deep.equal(name);
    expect(svnNameViews.entries?.(name)).to.deep.equal([
      { key: 'project', value: 110, counted: true },
      { key: 'name', value: 'Repo01' },
    ]);
  });

  it('go with the repository, and the name can be borne by another', () => {
    const view = projected(svn).happened('svn-120', [created(120), replaced, deleted(120)]);
    expect(view.document(svnRepositoryViews, 120)).to.equal(null);
    expect(view.document(svnNameViews, nameId)).to.equal(null);
    view.happened('svn-121', [created(121)]);
    expect(view.document(svnNameViews, nameId)).to.include({ repositoryId: 121 });
  });

  it('sort by name, in any case', () => {
    const sorted = ['abc.d', 'Zebra', 'abc', 'ABC', 'beta', 'abc-1'].map((name) => svnNameId(110, name)).sort();
    expect(sorted.map((id) => id.split(' ')[2])).to.deep.equal(['ABC', 'abc', 'abc-1', 'abc.d', 'beta', 'Zebra']);
  });

  it('cannot change before there are any', () => {
    expect(() => projected(svn).happened('svn-120', [replaced])).to.throw('never created');
  });
});
