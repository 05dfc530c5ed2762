import { expect } from 'chai';
import { eventId } from '../../src/core/event-id.js';
import { handle } from '../../src/core/handle.js';
import { nameHolder, reserveName, type UniqueName } from '../../src/core/name-reservation.js';
import { interruptedNames } from '../../src/names/recovery.js';
import { PENDING_NAMES } from '../../src/names/pending-names-view.js';
import { svnDecider } from '../../src/svn/repository.js';
import { svnStream, type SvnEvent, type SvnSettings } from '../../src/svn/repository-events.js';
import { SVN } from '../../src/svn/repository-view.js';
import { resumed } from '../support/resumed.js';
import { svnApi, type SvnApi } from '../svn/svn-api.js';

const settings: SvnSettings = {
  commitRules: { isReferenceMandatory: true, isCommitMessageChangeAllowed: false },
  immutableTags: { paths: [], whitelist: [] },
  accessFile: '',
  emailNotifications: [],
  hasDefaultPermissions: true,
};

const LONG_AGO = '2026-03-01T12:00:00.000Z';

describe('after a crash between a name and what bears it', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  const hydra = (name: string): UniqueName => ({ kind: 'svn', scope: api.project('hydra'), name });

  /** What the first half of a creation leaves. */
  async function reserve(name: string, at = LONG_AGO): Promise<number> {
    const { log } = api.service;
    const repositoryId = await api.service.idsOf('svn').next();
    const creation = { repositoryId, projectId: api.project('hydra'), name, settings };
    const reservation = { id: repositoryId, commandId: `c-${name}`, creation };
    await reserveName(log, hydra(name), reservation, { actor: api.user('pam'), at });
    await settled();
    return repositoryId;
  }

  async function settled(): Promise<void> {
    const { log, readModels } = api.service;
    const end = (await log.end())!;
    for (const projection of [PENDING_NAMES, SVN]) {
      expect(await readModels.caughtUp(projection, end, 10_000)).to.equal(true);
    }
  }

  const recovered = async (before = new Date('2026-03-02')): Promise<number> => {
    const count = await resumed(interruptedNames(api.service), before);
    await settled();
    return count;
  };

  it('the repository is created as it was asked for, under the ids of the first try', async () => {
    const id = await reserve('repo01');
    expect((await api.create('repo01')).status).to.equal(409);
    expect((await api.get(`/svn/${id}`)).status).to.equal(404);

    expect(await recovered()).to.equal(1);
    const { body } = await api.get(`/svn/${id}`, { as: 'pam' });
    expect(body).to.deep.include({ id, name: 'repo01' });
    expect(body.settings.commit_rules.is_reference_mandatory).to.equal(true);
    const { events } = await api.service.log.read<SvnEvent>(svnStream(id));
    expect(events.map((event) => [event.type, event.id, event.metadata.actor])).to.deep.equal([
      ['SvnRepositoryCreated', eventId('c-repo01', svnStream(id), 0), api.user('pam')],
    ]);
  });

  it('is created once, and not while a request may still run', async () => {
    expect(await recovered()).to.equal(0);
    const id = await reserve('young', '2026-03-02T00:00:00.000Z');
    expect(await recovered(new Date('2026-03-02T00:00:00.000Z'))).to.equal(0);
    expect(await recovered(new Date('2026-03-02T00:00:00.001Z'))).to.equal(1);
    expect(await api.eventsOf(id)).to.deep.equal(['SvnRepositoryCreated']);
  });

  it('is created although the name was reserved while the clock was ahead', async () => {
    const id = await reserve('ahead', new Date(Date.now() + 3_600_000).toISOString());
    expect(await recovered(new Date(Date.now() - 30_000))).to.equal(1);
    expect(await api.eventsOf(id)).to.deep.equal(['SvnRepositoryCreated']);
  });

  it('does no harm beside a running request', async () => {
    const ids = await Promise.all(['one', 'two', 'three'].map((name) => reserve(name)));
    await Promise.all([recovered(), recovered(), recovered()]);
    for (const id of ids) expect(await api.eventsOf(id)).to.deep.equal(['SvnRepositoryCreated']);
  });

  it('the name of a deleted repository is given back', async () => {
    const id = await api.created('leaving');
    await handle(api.service.log, svnDecider, {
      stream: svnStream(id),
      commandId: 'c-delete',
      metadata: { actor: null, at: LONG_AGO },
      command: () => ({ type: 'DeleteSvnRepository', repositoryId: id }) as const,
    });
    await settled();
    expect((await api.create('leaving')).status).to.equal(409);
    // No event is earlier than the one before it: the deletion is as young as the creation.
    expect(await recovered(new Date(Date.now() + 60_000))).to.equal(1);
    expect(await nameHolder(api.service.log, hydra('leaving'))).to.equal(null);
    expect((await api.create('leaving')).status).to.equal(201);
  });

  it('users, projects and trackers are created too', async () => {
    const { log, readModels } = api.service;
    const by = { actor: null, at: LONG_AGO };
    const group = { admins: [], members: [], groups: [] };
    const project = { projectId: 901, shortname: 'late', label: 'Late', description: '', access: 'public', svn: false };
    const user = {
      userId: 902,
      username: 'zoe',
      realName: 'Zoe',
      email: 'z@x.org',
      passwordHash: '',
      siteAdmin: false,
    };
    const tracker = {
      ...{ trackerId: 903, projectId: api.project('hydra'), itemName: 'task', label: 'Tasks', description: '' },
      ...{ color: 'fiesta-red', admins: { users: [], groups: [] }, fields: [], semantics: {}, workflow: null },
      permissions: { access: [1], submit: [2], update: [3] },
    };
    const wanted: readonly (readonly [UniqueName, number, object])[] = [
      [{ kind: 'project', scope: 0, name: 'late' }, 901, { ...project, ...group }],
      [{ kind: 'user', scope: 0, name: 'zoe' }, 902, user],
      [{ kind: 'tracker', scope: api.project('hydra'), name: 'task' }, 903, tracker],
    ];
    for (const [unique, id, creation] of wanted) {
      await reserveName(log, unique, { id, commandId: `platform-${id}`, creation }, by);
    }
    await settled();
    expect(await recovered()).to.equal(3);
    for (const name of ['users', 'projects', 'trackers']) await readModels.caughtUp(name, (await log.end())!, 10_000);
    expect(api.service.definitions.projectNamed('late')?.id).to.equal(901);
    expect(api.service.definitions.userNamed('zoe')?.id).to.equal(902);
    expect(api.tracker('task')).to.equal(903);
  });
});
