import { expect } from 'chai';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { client, type Client } from '../support/client.js';
import { runService, type RunningService } from '../support/service.js';

/** Its trackers have no sums: those are made anew each time. */
const PLATFORM = `
settings: { anonymous_access: true }
users: [{ username: ann, real_name: Ann, email: ann@example.org, password: "ann's password", site_admin: true }]
projects:
  - shortname: garden
    label: Garden
    admins: [ann]
    trackers:
      - item_name: task
        label: Tasks
        fields:
          - { name: text, label: Text, type: text }
          - { name: links, label: Links, type: art_link }
          - { name: readers, label: Readers, type: perm }
`;
/** In characters. As JSON, with its HTML, the text takes seven times as much: more than is remembered of one artifact. */
const LARGE = 60_000;

describe('artifacts that were written for a reader before', () => {
  let api: RunningService;
  let listening: Listening;
  let reader: Client;
  let rendered: string[];
  let pages = 0;

  before(async () => {
    api = await runService({ platform: PLATFORM });
    const { texts } = api.service;
    const watched: typeof texts = {
      ...texts,
      htmlOf: (asked, whom) => {
        rendered.push(...asked.map(({ text }) => text.slice(0, 5)));
        return texts.htmlOf(asked, whom);
      },
    };
    listening = await serve({ ...api.serving, service: { ...api.service, texts: watched } });
    reader = client(`http://127.0.0.1:${listening.port}`);
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });
  beforeEach(() => {
    rendered = [];
  });

  const of = (name: string, parts: object) => ({ field_id: api.field('task', name), ...parts });
  const text = (content: string) => of('text', { value: { content, format: 'text' } });
  const links = (id: number) => of('links', { links: [{ id, type: '' }] });
  const made = async (...values: readonly object[]): Promise<number> => {
    const body = { tracker: { id: api.tracker('task') }, values };
    const answer = await api.post('/artifacts', { as: 'ann', body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return (answer.body as { readonly id: number }).id;
  };
  /** Asked in another way each time, so that no whole answer is remembered. */
  const page = async (): Promise<readonly object[]> => {
    const limit = 1000 - (pages += 1);
    return (await reader.get(`/trackers/${api.tracker('task')}/artifacts?values=all&limit=${limit}`)).body as object[];
  };
  const shown = async (id: number): Promise<string> =>
    JSON.stringify((await page()).find((artifact) => 'id' in artifact && artifact.id === id));

  it('are written once, but for large ones, which would take the place of many', async () => {
    await made(text('small'));
    await made(text(`large${'"'.repeat(LARGE)}`));
    const first = await page();
    expect([...rendered].sort()).to.deep.equal(['large', 'small']);
    rendered = [];
    expect(await page()).to.deep.equal(first);
    expect(rendered).to.deep.equal(['large']);
  });

  it('are written anew when the other end of a link is hidden', async () => {
    const end = await made(text('end'));
    const source = await made(links(end));
    const target = await made(text('target'));
    const other = await made(links(target));
    expect(await shown(source)).to.contain(`"id":${end},`);
    expect(await shown(target)).to.contain(`"id":${other},`);
    for (const id of [end, other]) {
      const values = [of('readers', { value: { granted_groups: ['101_4'] } })];
      expect((await api.put(`/artifacts/${id}`, { as: 'ann', body: { values } })).status).to.equal(200);
    }
    expect(await shown(source)).not.to.contain(`"id":${end},`);
    expect(await shown(target)).not.to.contain(`"id":${other},`);
  });
});
