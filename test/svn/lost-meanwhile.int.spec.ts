import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { createRepository, replaceSettings } from '../../src/svn/commands.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { ALL_SETTINGS, svnApi, type SvnApi } from './svn-api.js';

describe('The settings of a repository', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  const LOST: Readonly<Record<string, (before: Definitions) => Partial<Definitions>>> = {
    'The account is suspended': (before) => ({
      user: (id) => ({ ...before.user(id)!, status: 'suspended' }),
    }),
    'Only administrators of the project create, change and delete its repositories': (before) => ({
      project: (id) => ({ ...before.project(id)!, admins: [] }),
    }),
    'This project is suspended': (before) => ({
      project: (id) => ({ ...before.project(id)!, members: [api.user('pam')], status: 'suspended' }),
    }),
  };

  for (const [message, change] of Object.entries(LOST)) {
    /** Definitions that change while the settings are read. */
    const changing = () => {
      const before = api.service.definitions;
      let now: Definitions = before;
      const settings = {
        ...ALL_SETTINGS,
        get access_file() {
          now = { ...before, ...change(before) };
          return '';
        },
      };
      const definitions: Definitions = {
        ...before,
        user: (id) => now.user(id),
        project: (id) => now.project(id),
      };
      const caller = { viewer: viewer(definitions, before.user(api.user('pam'))!), requestId: 'r' };
      const ports = {
        ...api.service,
        definitions,
        nextRepositoryId: () => api.service.idsOf('svn').next(),
      };
      return { settings, ports, caller };
    };
    const found = async () => (await api.get(`/projects/${api.project('hydra')}/svn`)).body.repositories.length;

    it(`are not replaced by a user who loses the right while they are checked: ${message}`, async () => {
      const id = await api.created(`a-${message.length}`);
      const { settings, ports, caller } = changing();
      expect(await rejection(replaceSettings(id, settings, ports, caller))).to.have.property('message', message);
      expect(await api.eventsOf(id)).to.deep.equal(['SvnRepositoryCreated']);
    });

    it(`make no repository for a user who loses the right while they are checked: ${message}`, async () => {
      const before = await found();
      const { settings, ports, caller } = changing();
      const body = { project_id: api.project('hydra'), name: `b-${message.length}`, settings };
      expect(await rejection(createRepository(body, ports, caller))).to.have.property('message', message);
      expect(await found()).to.equal(before);
    });
  }
});
