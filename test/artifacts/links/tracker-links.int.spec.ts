import { expect } from 'chai';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { type Answer } from '../../support/client.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, pageHeaders, type ArtifactApi } from '../artifact-api.js';

const CHILD = '_is_child';

describe('the links of a tracker', () => {
  let api: ArtifactApi;
  beforeEach(async () => {
    api = await artifactApi();
  });
  afterEach(() => api.stop());

  const path = (what: string, tracker = 'bug') => `/trackers/${api.tracker(tracker)}/${what}`;
  const got = (what: string, { tracker = 'bug', as = '' } = {}): Promise<Answer> =>
    api.get(path(what, tracker), as === '' ? {} : { as });
  const linked = (tracker: string, ...links: readonly { readonly id: number; readonly type: string }[]) =>
    api.created([api.set('links', { links }, tracker)], { tracker });
  const onlyAdmins = () => api.set('readers', { value: { granted_groups: ['101_4'] } });
  const done = async (id: number) => {
    const status = api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', 'Done')] });
    await api.changed(id, [status], { as: 'alice' });
  };

  describe('in use', () => {
    const types = async (as = '', tracker = 'bug'): Promise<readonly string[]> => {
      const { status, body } = await got('used_artifact_links', { tracker, as });
      expect(status, JSON.stringify(body)).to.equal(200);
      return (body as readonly { readonly shortname: string }[]).map(({ shortname }) => shortname);
    };

    it('are those that its artifacts have, by type, for as long as they have them', async () => {
      expect(await types()).to.deep.equal([]);
      const [end, note] = [await api.created(), await api.created([], { tracker: 'note' })];
      const source = await linked('bug', { id: end, type: 'fixed_in' }, { id: note, type: CHILD });
      const page = await got('used_artifact_links');
      expect(page.body).to.deep.equal([
        { shortname: CHILD, forward_label: 'Child' },
        { shortname: 'fixed_in', forward_label: 'Fixed in' },
      ]);
      expect(pageHeaders(page)).to.deep.equal([100, 0, 2, 1000]);
      const second = await got('used_artifact_links?limit=1&offset=1');
      expect(second.body).to.deep.equal([{ shortname: 'fixed_in', forward_label: 'Fixed in' }]);
      expect(pageHeaders(second)).to.deep.equal([1, 1, 2, 1000]);
      expect(await types('', 'note')).to.deep.equal([]);

      await api.changed(source, [api.set('links', { links: [{ id: end, type: '' }] })]);
      expect(await types()).to.deep.equal(['']);
      await api.deleted(end);
      expect(await types()).to.deep.equal([]);
    });

    it('are not those to or from an artifact that the reader may not see', async () => {
      const secret = await api.created([], { tracker: 'case' });
      await linked('bug', { id: secret, type: 'fixed_in' });
      const end = await api.created();
      const links = api.set('links', { links: [{ id: end, type: CHILD }] });
      await api.created([links, onlyAdmins()], { as: 'alice' });
      expect(await types()).to.deep.equal([]);
      expect(await types('carol')).to.deep.equal(['fixed_in']);
      expect(await types('alice')).to.deep.equal([CHILD, 'fixed_in']);
    });
  });

  describe('of parents', () => {
    const ids = async (as = '', tracker = 'bug'): Promise<readonly number[]> => {
      const { status, body, headers } = await got('parent_artifacts', { tracker, as });
      expect(status, JSON.stringify(body)).to.equal(200);
      const found = (body as readonly { readonly id: number }[]).map(({ id }) => id);
      expect(pageHeaders({ headers })).to.deep.equal([100, 0, found.length, 1000]);
      return found;
    };

    it('lead to the open artifacts of any tracker that have one of its own as their child, the last ones first', async () => {
      const [child, other] = [await api.created(), await api.created()];
      const note = await linked('note', { id: child, type: CHILD }, { id: other, type: CHILD });
      const bug = await linked('bug', { id: child, type: CHILD });
      await linked('bug', { id: child, type: 'fixed_in' }, { id: note, type: '' });
      expect(await ids()).to.deep.equal([bug, note]);
      expect(await ids('', 'note')).to.deep.equal([]);
      const { body } = await got('parent_artifacts?limit=1');
      const artifact = (await api.read(bug)).body;
      expect(body).to.deep.equal([
        Object.fromEntries(
          ['id', 'title', 'xref', 'uri', 'html_url', 'tracker', 'full_status'].map((name) => [name, artifact[name]]),
        ),
      ]);
      const second = await got('parent_artifacts?limit=1&offset=1');
      expect([second.body[0].id, pageHeaders(second)]).to.deep.equal([note, [1, 1, 2, 1000]]);

      await done(bug);
      expect(await ids()).to.deep.equal([note]);
      await api.deleted(child);
      expect(await ids()).to.deep.equal([note]);
      await api.deleted(other);
      expect(await ids()).to.deep.equal([]);
    });

    it('do not lead to or from an artifact that the reader may not see', async () => {
      const child = await api.created([onlyAdmins()], { as: 'alice' });
      const ofHidden = await linkedAs('alice', child);
      const seen = await api.created();
      const hidden = await linked('case', { id: seen, type: CHILD });
      expect(await ids()).to.deep.equal([]);
      expect(await ids('dave')).to.deep.equal([]);
      expect(await ids('carol')).to.deep.equal([hidden]);
      expect(await ids('alice')).to.deep.equal([hidden, ofHidden]);
    });

    it('are found however many artifacts have children', async () => {
      const [seen, hidden] = [await api.created(), await api.created([onlyAdmins()], { as: 'alice' })];
      const child = (id: number): FieldValues => ({ [api.field('note', 'links')]: [{ id, type: CHILD }] });
      const planted = Array.from({ length: 1000 }, () => child(hidden));
      const parents = await plantedArtifacts(api, api.tracker('note'), [...planted, child(seen)]);
      expect(await ids()).to.deep.equal([parents.at(-1)]);
    });

    const linkedAs = (as: string, id: number) =>
      api.created([api.set('links', { links: [{ id, type: CHILD }] }, 'note')], { as, tracker: 'note' });
  });

  it('are shown to readers who see the tracker, with its name', async () => {
    for (const what of ['used_artifact_links', 'parent_artifacts']) {
      expect((await api.get(path(what, 'case'))).status).to.equal(403);
      expect((await api.get(path(what, 'case'), { as: 'carol' })).status).to.equal(200);
      expect((await api.get(`/trackers/999/${what}`)).status).to.equal(404);
      expect((await api.get(`/trackers/x/${what}`)).status).to.equal(400);
      for (const wrong of ['limit=0', 'limit=1001', 'offset=-1']) {
        expect((await api.get(`${path(what)}?${wrong}`)).status, wrong).to.equal(400);
      }
      const { body } = await api.get(`/trackers/${api.tracker('bug')}`);
      expect(body.resources).to.deep.include({ type: what, uri: path(what).slice(1) });
    }
  });
});
