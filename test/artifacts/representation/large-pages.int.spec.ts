import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { checkMessage } from '../../support/raw-answers.js';
import { artifactApi, pageHeaders, type ArtifactApi } from '../artifact-api.js';

/** An artifact takes some 240,000 characters of a page with all values: more on a page than connections hold. */
const TEXT = 60_000;
const MANY = 90;
const ADMINISTRATORS = { value: { granted_groups: ['101_4'] } };

interface Shown {
  readonly id: number;
  readonly values: readonly { readonly label: string; readonly value?: unknown }[] | null;
}

describe('a page of large artifacts', () => {
  let api: ArtifactApi;
  let hub: number;
  const ids: number[] = [];
  before(async () => {
    api = await artifactApi();
    const description = { value: { content: '"'.repeat(TEXT / 2), format: 'text' } };
    for (let n = 0; n < MANY; n += 1) ids.push(await api.created([api.set('description', description)]));
    hub = await api.created([api.set('links', { links: ids.slice(0, 60).map((id) => ({ id, type: '' })) })]);
    for (let n = 0; n < 45; n += 1) {
      await api.changed(ids[0]!, [
        api.set('description', { value: { content: `${n}`.repeat(TEXT / 2), format: 'text' } }),
      ]);
    }
  });
  after(() => api.stop());

  const page = (): string => `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=${MANY}`;
  const idsIn = (items: readonly Shown[]): readonly number[] => items.map(({ id }) => id);
  const urlOf = (path: string): string => `${api.url}/api${path}`;
  const opened = async (path: string, as?: string): Promise<IncomingMessage> => {
    const auth = as === undefined ? {} : { auth: `${as}:${as}'s password` };
    const [answer] = (await once(httpGet(urlOf(path), auth), 'response')) as [IncomingMessage];
    await checkMessage('GET', urlOf(path), answer);
    return answer;
  };
  /** What comes of the rest; the error that ends it otherwise. */
  const rest = async (answer: IncomingMessage): Promise<string | Error> => {
    let text = '';
    try {
      for await (const bytes of answer.setEncoding('utf8')) text += String(bytes);
      return text;
    } catch (error) {
      return error as Error;
    }
  };

  it('has exactly the items that its headers promise, in their order, with all they hold', async () => {
    const answer = await api.get(page());
    const items = answer.body as readonly Shown[];
    expect(idsIn(items)).to.deep.equal(ids);
    expect(pageHeaders(answer)).to.deep.equal([MANY, 0, MANY + 1, 1000]);
    expect(answer.headers.get('content-length')).to.equal(null);
    for (const { values } of items.slice(1)) {
      expect(values?.find(({ label }) => label === 'Description')?.value).to.have.length(TEXT / 2);
    }
    const backwards = await api.get(`${page()}&order=desc&offset=1`);
    expect(idsIn(backwards.body as readonly Shown[])).to.deep.equal(ids.toReversed());
  });

  it('is whole where little of the artifacts is shown', async () => {
    const headers = { 'Accept-Encoding': 'identity' };
    const answer = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=${MANY}`, { headers });
    expect(idsIn(answer.body as readonly Shown[])).to.deep.equal(ids);
    expect(Number(answer.headers.get('content-length'))).to.be.greaterThan(MANY * 100);
  });

  it('is answered alike for ids, in their order, for links and for changesets', async () => {
    const some = ids.toReversed().slice(5, 65);
    const asked = [...some.slice(0, 30), 987_654, ...some.slice(30)];
    const byId = await api.get(
      `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: asked }))}&offset=1&limit=50`,
    );
    expect(idsIn(byId.body.collection)).to.deep.equal(some.slice(1, 51));
    expect(pageHeaders(byId)).to.deep.equal([50, 1, 60, 100]);

    const linked = await api.get(`/artifacts/${hub}/linked_artifacts?direction=forward&limit=50&offset=5`);
    expect(idsIn(linked.body.collection)).to.deep.equal(ids.slice(5, 55));
    expect(pageHeaders(linked)[2]).to.equal(60);
    const flat = await api.get(`/artifacts/${hub}/linked_artifacts?direction=forward&limit=50&output_format=flat`);
    expect(flat.body).to.have.length(50);

    const changesets = await api.get(`/artifacts/${ids[0]}/changesets?limit=50`);
    expect(idsIn(changesets.body as readonly Shown[])).to.deep.equal(Array.from({ length: 46 }, (_, n) => n + 1));
    const history = await api.get(`/artifacts/${ids[0]}/history?limit=50`);
    expect(history.body).to.have.length(46);
    expect(history.headers.get('content-length')).to.equal(null);
  });

  it('has every item also when one changes before its turn', async () => {
    const answer = await opened(page());
    const last = ids.at(-1)!;
    await api.changed(last, [api.titled('Changed meanwhile')]);
    const items = JSON.parse(String(await rest(answer))) as readonly Shown[];
    await checkMessage('GET', urlOf(page()), answer, { body: items });
    expect(idsIn(items)).to.deep.equal(ids);
    expect(JSON.stringify(items.at(-1))).to.include('Changed meanwhile');
  });

  it('breaks the connection when an item is deleted before its turn', async () => {
    const answer = await opened(page());
    expect(answer.statusCode).to.equal(200);
    await api.deleted(ids.pop()!);
    expect(await rest(answer)).to.be.instanceOf(Error);
    const again = await api.get(page());
    expect(idsIn(again.body as readonly Shown[])).to.deep.equal([...ids, hub]);
  });

  const become = (username: string, facts: object): Promise<unknown> => {
    const user = { username, real_name: username, email: `${username}@example.org`, ...facts };
    return api.operate('apply', { text: JSON.stringify({ users: [user] }), prune: false, env: {} });
  };

  it('breaks the connection when its reader is suspended, before what is written afterwards', async () => {
    const answer = await opened(page(), 'bob');
    await become('bob', { status: 'suspended' });
    await api.changed(ids.at(-1)!, [api.titled('Written afterwards')]);
    expect(await rest(answer)).to.be.instanceOf(Error);
  });

  it('goes on by the rights that are left to a reader who ceases to be a site administrator', async () => {
    await become('dave', { site_admin: true });
    const answer = await opened(page(), 'dave');
    await become('dave', { site_admin: false });
    expect(idsIn(JSON.parse(String(await rest(answer))) as readonly Shown[])).to.deep.equal([...ids, hub]);
  });

  it('breaks the connection when these show one item less', async () => {
    await become('dave', { site_admin: true });
    await api.changed(hub, [api.set('readers', ADMINISTRATORS)], { as: 'alice' });
    const answer = await opened(page(), 'dave');
    await become('dave', { site_admin: false });
    expect(await rest(answer)).to.be.instanceOf(Error);
    expect(idsIn((await api.get(page(), { as: 'dave' })).body as readonly Shown[])).to.deep.equal(ids);
    await api.changed(hub, [api.set('readers', { value: { granted_groups: [] } })], { as: 'alice' });
  });

  it('goes on when its reader gets another name', async () => {
    const answer = await opened(page(), 'carol');
    await become('carol', { real_name: 'Carol Cook' });
    expect(idsIn(JSON.parse(String(await rest(answer))) as readonly Shown[])).to.deep.equal([...ids, hub]);
  });
});
