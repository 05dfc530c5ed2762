import { expect } from 'chai';
import { artifactApi, type ArtifactApi, type Json } from '../artifact-api.js';

const hydra = (trackers: string): string =>
  `projects: [{ shortname: hydra, label: Hydra, admins: [alice, dave], trackers: [${trackers}] }]`;
const notesWith = (field: string): string =>
  hydra(
    `{ item_name: note, label: Notes, fields: [{ name: ${field}, label: X, type: string }], semantics: { title: ${field} } }`,
  );
const NO_TRACKERS = hydra('');
/** Besides the project's alone. */
const BUG_ADMIN = 'bob';
const AUDITORS = ['alice', 'dave'];
const OTHERS = [BUG_ADMIN, 'carol', ''];

describe('The history of an artifact', () => {
  let api: ArtifactApi;
  let gone: number;
  let kept: number;
  let secret: number;
  beforeEach(async () => {
    api = await artifactApi();
    gone = await api.created();
    secret = await api.created([api.set('secret', { value: 'hush' })], { as: 'alice' });
    const links = api.set('links', { links: [gone, secret].map((id) => ({ id, type: '' })) });
    kept = await api.created([links, api.set('readers', { value: { granted_groups: ['101_4'] } })], { as: 'alice' });
    await api.deleted(gone);
  });
  afterEach(() => api.stop());

  const prune = (text: string) => api.operate('apply', { text, prune: true, env: {} });
  const get = (path: string, as: string) => api.get(path, as === '' ? {} : { as });
  const statuses = (path: string, readers: readonly string[]) =>
    Promise.all(readers.map(async (as) => (await get(path, as)).status));
  const changes = async (id: number, as: string): Promise<readonly Json[]> =>
    (await get(`/artifacts/${id}/history`, as)).body[0].changes;

  it('is left to administrators of project and site once the tracker is pruned', async () => {
    const tracker = api.tracker('bug');
    await prune(NO_TRACKERS);
    for (const id of [gone, kept]) {
      for (const path of [`/artifacts/${id}/history`, `/artifacts/${id}?revision=0`]) {
        expect(await statuses(path, AUDITORS), path).to.deep.equal([200, 200]);
        expect(await statuses(path, OTHERS), path).to.deep.equal([404, 404, 404]);
      }
    }
    for (const path of [`/artifacts/${kept}`, `/artifacts/${kept}/changesets`, `/trackers/${tracker}`]) {
      expect(await statuses(path, AUDITORS), path).to.deep.equal([404, 404]);
    }
  });

  it('has its files left to them, too', async () => {
    const upload = { name: 'f.txt', mimetype: 'text/plain', content: 'aGVsbG8=', description: '' };
    const { body: file } = await api.post('/artifact_temporary_files', { as: 'carol', body: upload });
    await api.created([api.set('attachments', { value: [file.id] })]);
    const path = `/artifact_files/${file.id}`;
    expect(await statuses(path, [...AUDITORS, ...OTHERS])).to.deep.equal([200, 200, 200, 200, 200]);
    await prune(NO_TRACKERS);
    expect(await statuses(path, AUDITORS)).to.deep.equal([200, 200]);
    expect(await statuses(path, OTHERS)).to.deep.equal([404, 404, 404]);
  });

  it('holds what it held before, also links to what is in the pruned tracker', async () => {
    const before = await changes(kept, 'alice');
    await prune(NO_TRACKERS);
    expect(await changes(kept, 'alice')).to.deep.equal(before);
    const { after } = before.find(({ name }) => name === 'links') ?? {};
    expect(after).to.deep.equal([gone, secret].map((id) => ({ id, type: '' })));
    expect((await api.get(`/artifacts/${kept}?revision=0`, { as: 'alice' })).body.title).to.equal('Crash');
  });

  it('shows no unreadable field of a pruned tracker, and no project that is out of reach', async () => {
    await prune(NO_TRACKERS.replace('admins: [alice, dave]', 'admins: [dave]'));
    const names = async (as: string) => (await changes(secret, as)).map(({ name }) => name);
    expect(await names('dave')).to.include('secret');
    expect(await names('alice'))
      .to.include('title')
      .and.not.to.include('secret');
    await prune(`projects: [{ shortname: hydra, label: Hydra, status: suspended }]`);
    expect(await statuses(`/artifacts/${secret}/history`, ['alice', 'dave'])).to.deep.equal([200, 404]);
  });

  it('shows a pruned field again once a file names it', async () => {
    const { body } = await api.submit([api.titled('a', 'note')], { tracker: 'note' });
    const id = body.id as number;
    const titles = async () => (await changes(id, 'carol')).map(({ after }) => after);
    expect(await titles()).to.deep.equal(['a']);
    await prune(notesWith('other'));
    expect(await titles()).to.deep.equal([]);
    await api.operate('apply', { text: notesWith('title'), prune: false, env: {} });
    expect(await titles()).to.deep.equal(['a']);
  });
});
