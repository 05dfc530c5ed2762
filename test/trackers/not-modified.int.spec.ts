import { expect } from 'chai';
import { type Answer } from '../support/client.js';
import { platformApi, type Platform, type PlatformApi } from '../support/platform-api.js';

interface Changes {
  readonly project?: object;
  readonly tracker?: object;
}

const title = { name: 'title', label: 'Title', type: 'string' };

const platform = ({ project, tracker }: Changes = {}): Platform => ({
  users: [{ username: 'member' }, { username: 'stranger' }, { username: 'root', site_admin: true }],
  projects: [
    {
      shortname: 'open',
      label: 'Open',
      access: 'public',
      members: ['member'],
      trackers: [{ item_name: 'bug', label: 'Bugs', fields: [title], ...tracker }],
      ...project,
    },
  ],
});

describe('If-None-Match on a tracker or a project', () => {
  let api: PlatformApi;
  before(async () => {
    api = await platformApi(platform());
  });
  afterEach(() => api.become(platform()));
  after(() => api.stop());

  const paths = () => ({ tracker: `/trackers/${api.tracker('bug')}`, project: `/projects/${api.project('open')}` });
  const get = (path: string, as?: string, tag?: string): Promise<Answer> =>
    api.get(path, { ...(as !== undefined && { as }), ...(tag !== undefined && { headers: { 'If-None-Match': tag } }) });
  const tagOf = async (path: string, as?: string): Promise<string> => (await get(path, as)).headers.get('etag') ?? '';
  /** The status for a tag from before the change. */
  const statusAfter = async (changes: Changes, path: string, as?: string): Promise<number> => {
    const tag = await tagOf(path, as);
    await api.become(platform(changes));
    return (await get(path, as, tag)).status;
  };

  it('is answered 304 without a body while the answer would be the same', async () => {
    for (const path of Object.values(paths())) {
      const tag = await tagOf(path, 'member');
      expect(tag).to.match(/^"[\w-]{43}"$/);
      for (const given of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
        const { status, headers, body } = await get(path, 'member', given);
        expect([status, headers.get('etag'), body as unknown], given).to.deep.equal([304, tag, undefined]);
        expect(headers.get('vary')).to.include('Authorization, X-Auth-Token, X-Auth-UserId, X-Auth-AccessKey');
      }
    }
  });

  it('is answered 200 for any other tag', async () => {
    for (const path of Object.values(paths())) {
      const tag = await tagOf(path);
      for (const given of ['"other"', tag.replaceAll('"', ''), '']) {
        expect((await get(path, undefined, given)).status, given).to.equal(200);
      }
    }
  });

  it('is answered 200 once what is shown has another name', async () => {
    const { tracker, project } = paths();
    expect(await statusAfter({ tracker: { label: 'Defects' } }, tracker)).to.equal(200);
    expect(await statusAfter({ project: { label: 'Opened' } }, tracker)).to.equal(200);
    expect(await statusAfter({ project: { label: 'Other' } }, project)).to.equal(200);
  });

  it('is answered 200 once the reader may do something else', async () => {
    const { tracker, project } = paths();
    const readOnly = { fields: [{ ...title, permissions: { read: ['all_users'], submit: [], update: [] } }] };
    expect(await statusAfter({ tracker: readOnly }, tracker, 'member')).to.equal(200);
    expect(await statusAfter({ project: { members: [] } }, project, 'member')).to.equal(200);
  });

  it('is refused to who may no longer see it', async () => {
    const { tracker, project } = paths();
    expect(await statusAfter({ project: { access: 'private' } }, tracker, 'stranger')).to.equal(403);
    await api.become(platform());
    expect(await statusAfter({ project: { access: 'private' } }, project, 'stranger')).to.equal(403);
  });

  it('matches no tag that another reader was given for another answer', async () => {
    const { project } = paths();
    const tag = await tagOf(project, 'member');
    expect((await get(project, 'stranger', tag)).status).to.equal(200);
  });
});
