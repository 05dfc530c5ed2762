import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { serve } from '../../src/composition/http-server.js';
import { client, type Answer } from '../support/client.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';

const PLATFORM = readFileSync(new URL('../support/platform.yaml', import.meta.url), 'utf8');

/** On servers, a process does not know what other processes gave. */
const CONFIRMED = (process.env['TEST_STORES'] ?? '') === '' ? 304 : 200;

describe('If-None-Match on an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const become = async (text: string): Promise<void> => {
    await api.operate('apply', { text, prune: true, env: {} });
  };
  const get = (path: string, as: string, tag?: string): Promise<Answer> =>
    api.get(path, { as, ...(tag !== undefined && { headers: { 'If-None-Match': tag } }) });
  const tagOf = async (path: string, as: string): Promise<string> => (await get(path, as)).headers.get('etag') ?? '';
  /** The status for a tag from before the change; before, it is confirmed. */
  const statusAfter = async (id: number, change: () => Promise<unknown>, as = 'bob'): Promise<number> => {
    const path = `/artifacts/${id}`;
    const tag = await tagOf(path, as);
    expect((await get(path, as, tag)).status).to.equal(CONFIRMED);
    await change();
    return (await get(path, as, tag)).status;
  };
  const links = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id })) });

  it('is answered 304 without a body while the reader was given no other text with the tag', async () => {
    const path = `/artifacts/${await api.created()}`;
    const tag = await tagOf(path, 'bob');
    expect(tag).to.equal('"0"');
    for (const given of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const { status, headers, body } = await get(path, 'bob', given);
      expect([status, headers.get('etag')], given).to.deep.equal([CONFIRMED, tag]);
      expect(body === undefined).to.equal(CONFIRMED === 304);
      expect(headers.get('vary')).to.include('Authorization, X-Auth-Token, X-Auth-UserId, X-Auth-AccessKey');
    }
  });

  it('is answered 200 for any other tag', async () => {
    const path = `/artifacts/${await api.created()}`;
    await tagOf(path, 'bob');
    for (const given of ['"1"', '"other"', '0', ''])
      expect((await get(path, 'bob', given)).status, given).to.equal(200);
  });

  it('is answered 200 where the reader was given no text with the tag', async () => {
    const id = await api.created();
    const path = `/artifacts/${id}`;
    const changed = await api.changed(id, [api.titled('Second')]);
    expect((await get(path, 'bob', changed)).status).to.equal(200);
    expect((await get(path, 'carol', changed)).status).to.equal(200);
    expect((await get(`${path}?values_format=by_field`, 'bob', changed)).status).to.equal(200);
    expect((await get(path, 'bob', changed)).status).to.equal(CONFIRMED);
  });

  it('is answered 200 for the artifact as it was', async () => {
    const path = `/artifacts/${await api.created()}?revision=0`;
    const tag = await tagOf(path, 'bob');
    expect((await get(path, 'bob', tag)).status).to.equal(200);
  });

  it('is answered 200 once the artifact or a link to it has changed', async () => {
    const [id, source] = [await api.created(), await api.created()];
    expect(await statusAfter(id, () => api.changed(id, [api.titled('Second')]))).to.equal(200);
    expect(await statusAfter(id, () => api.changed(source, [links(id)]))).to.equal(200);
    await api.changed(id, [api.titled('Third')]);
    expect(await statusAfter(id, () => api.changed(source, [links()]))).to.equal(200);
    await api.changed(source, [links(id)]);
    await api.changed(id, [api.titled('Fourth')]);
    expect(await statusAfter(id, () => api.deleted(source))).to.equal(200);
  });

  it('is answered 200 once another text was given with the tag, also when the first one is back', async () => {
    const [id, source] = [await api.created([], { tracker: 'note' }), await api.created()];
    expect(await statusAfter(id, () => api.changed(source, [links(id)]))).to.equal(200);
    await api.changed(source, [links()]);
    for (const time of ['first', 'second']) {
      expect((await get(`/artifacts/${id}`, 'bob', '"0"')).status, time).to.equal(200);
    }
  });

  it('is answered 304 after changes of other artifacts', async () => {
    const [id, other] = [await api.created(), await api.created()];
    expect(await statusAfter(id, () => api.changed(other, [api.titled('Second')]))).to.equal(CONFIRMED);
    expect(await statusAfter(id, () => become(PLATFORM.replace('label: Notes', 'label: Remarks')))).to.equal(CONFIRMED);
    await become(PLATFORM);
  });

  for (const [what, from, to] of [
    ['a field', 'label: Title, type: string, required', 'label: Heading, type: string, required'],
    ['a value of a list', '{ label: New, color: fiesta-red }', '{ label: New, color: deep-blue }'],
    ['a tracker', 'label: Bugs', 'label: Defects'],
    ['a project', 'label: Hydra', 'label: Lernaia'],
    ['a user', 'Carol Clark', 'Carol Clarke'],
    [
      'the right to read a field',
      'label: Effort, type: float',
      'label: Effort, type: float, permissions: { read: [] }',
    ],
  ] as const) {
    it(`is answered 200 once ${what} has changed that is shown, also when it has changed back`, async () => {
      const id = await api.created([api.set('effort', { value: 1 })]);
      expect(await statusAfter(id, () => become(PLATFORM.replace(from, to)))).to.equal(200);
      const path = `/artifacts/${id}`;
      expect((await get(path, 'bob', '"0"')).status).to.equal(200);
      await become(PLATFORM);
      expect((await get(path, 'bob', '"0"')).status).to.equal(200);
    });
  }

  it('is refused to a reader who may no longer see the artifact', async () => {
    const [id, limited] = [await api.created(), await api.created()];
    const closed = PLATFORM.replace('access: [all_users]', 'access: [project_members]');
    expect(await statusAfter(id, () => become(closed), 'dave')).to.equal(403);
    await become(PLATFORM);
    const isPrivate = PLATFORM.replace('label: Hydra', 'label: Hydra\n    access: private');
    expect(await statusAfter(await api.created(), () => become(isPrivate), 'dave')).to.equal(403);
    await become(PLATFORM);
    const granted = { granted_groups: [`${api.service.definitions.projectNamed('hydra')!.id}_3`] };
    await api.changed(limited, [api.set('readers', { value: { is_used_by_default: true, ...granted } })]);
    const left = PLATFORM.replace('members: [bob, carol]', 'members: [bob]');
    expect(await statusAfter(limited, () => become(left), 'carol')).to.equal(403);
    await become(PLATFORM);
  });

  it('is answered 200 for a tag that an earlier process gave', async () => {
    const id = await api.created();
    const path = `/artifacts/${id}`;
    const tag = await tagOf(path, 'bob');
    const later = await serve(api.serving);
    try {
      const restarted = client(`http://127.0.0.1:${later.port}`);
      const again = (given: string) => restarted.get(path, { as: 'bob', headers: { 'If-None-Match': given } });
      for (const time of ['first', 'second']) expect((await again(tag)).status, time).to.equal(200);
      const changed = await api.changed(id, [api.titled('Second')]);
      expect([(await again(changed)).status, (await again(changed)).status]).to.deep.equal([200, CONFIRMED]);
    } finally {
      await later.close(1000);
    }
  });
});
