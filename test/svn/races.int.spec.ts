import { expect } from 'chai';
import { nameHolder, nameStream } from '../../src/core/name-reservation.js';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { client } from '../support/client.js';
import { interruptedReads } from '../support/interrupted-reads.js';
import { ALL_SETTINGS, svnApi, type SvnApi } from './svn-api.js';

describe('the name of a repository, wanted by many', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  const named = async (name: string): Promise<readonly { readonly id: number }[]> => {
    const query = encodeURIComponent(JSON.stringify({ name }));
    return (await api.get(`/projects/${api.project('hydra')}/svn?query=${query}`)).body.repositories;
  };

  it('goes to one of fifty, and the others are told so', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.create('repo01')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.length(1);
    expect(statuses.filter((status) => status === 409)).to.have.length(49);
    expect(await named('repo01')).to.have.length(1);
  });

  it('is never borne by two while repositories come and go', async () => {
    const rounds = Array.from({ length: 10 }, async () => {
      const { status, body } = await api.create('busy');
      if (status !== 201) return status;
      return (await api.remove(body.id)).status;
    });
    const statuses = await Promise.all(rounds);
    expect(statuses.every((status) => [202, 409].includes(status))).to.equal(true);
    expect(statuses).to.include(202);
    expect(await named('busy')).to.deep.equal([]);

    const { log } = api.service;
    const unique = { kind: 'svn', scope: api.project('hydra'), name: 'busy' } as const;
    expect(await nameHolder(log, unique)).to.equal(null);
    const types = (await log.read(nameStream(unique))).events.map(({ type }) => type);
    expect(types).to.deep.equal(types.map((_, index) => (index % 2 === 0 ? 'NameReserved' : 'NameReleased')));
    expect((await api.create('busy')).status).to.equal(201);
  });
});

describe('a repository that is stored', () => {
  let api: SvnApi;
  let listening: Listening;
  beforeEach(async () => {
    api = await svnApi();
  });
  afterEach(async () => {
    await listening.close(1000);
    await api.stop();
  });

  for (const what of ['created', 'replaced'] as const) {
    it(`is answered as ${what} to an administrator who is suspended before the read models show it`, async () => {
      const { readModels } = api.service;
      const id = await api.created('repo01');
      const pam = { username: 'pam', real_name: 'Pam', email: 'pam@example.org', status: 'suspended' };
      const caughtUp: ReadModels['caughtUp'] = async (...asked) => {
        await api.operate('apply', { text: JSON.stringify({ users: [pam] }), prune: false, env: {} });
        return readModels.caughtUp(...asked);
      };
      const service = { ...api.service, readModels: { ...readModels, caughtUp } };
      listening = await serve({ ...api.serving, service });
      const writer = client(`http://127.0.0.1:${listening.port}`);
      const { status, body } =
        what === 'created'
          ? await writer.post('/svn', { as: 'pam', body: { project_id: api.project('hydra'), name: 'repo02' } })
          : await writer.put(`/svn/${id}`, { as: 'pam', body: { settings: ALL_SETTINGS } });
      expect(body.settings.access_file).to.equal('');
      expect({ status, name: body.name }).to.deep.equal(
        what === 'created' ? { status: 201, name: 'repo02' } : { status: 200, name: 'repo01' },
      );
    });
  }
});

describe('the repositories of a project', () => {
  it('are not listed for a reader who loses the project while they are read', async () => {
    const api = await svnApi();
    const reads = await interruptedReads(api);
    try {
      reads.before('find', async () => {
        const hydra = { shortname: 'hydra', label: 'Hydra', access: 'private' };
        await api.operate('apply', { text: JSON.stringify({ projects: [hydra] }), prune: false, env: {} });
        await api.created('secret');
      });
      const { status, body } = await reads.reader().get(`/projects/${api.project('hydra')}/svn`, { as: 'eve' });
      expect(reads.hasCome()).to.equal(true);
      expect(status, JSON.stringify(body)).to.equal(403);
    } finally {
      await reads.close();
      await api.stop();
    }
  });
});
