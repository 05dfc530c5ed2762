import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openValuesStream } from '../../src/trackers/tracker-events.js';
import { TRACKERS } from '../../src/trackers/tracker-view.js';
import { platformApi, type PlatformApi } from '../support/platform-api.js';

const SHOWN = 1000;
const ADDED = 1200;

const open = (name: string, more: object = {}): object => ({ name, label: name, type: 'tbl', ...more });
const members = ['project_members'];

describe('The labels that users added to an open list', () => {
  let api: PlatformApi;
  before(async () => {
    api = await platformApi({
      users: [{ username: 'member' }, { username: 'other' }],
      projects: [
        {
          ...{ shortname: 'p', label: 'P', members: ['member'] },
          trackers: [
            {
              ...{ item_name: 'item', label: 'Items' },
              fields: [
                open('tags', { values: [{ label: 'own' }, { label: 'hidden', hidden: true }] }),
                open('kept', { permissions: { read: members } }),
                open('people', { bind: 'users', from: members }),
                { name: 'line', label: 'Line', type: 'string' },
              ],
            },
            { item_name: 'inner', label: 'Inner', permissions: { access: members }, fields: [open('tags')] },
          ],
        },
        {
          shortname: 'q',
          label: 'Q',
          access: 'private',
          trackers: [{ item_name: 'away', label: 'A', fields: [open('tags')] }],
        },
      ],
    });
    const fieldId = api.field('item', 'tags');
    const events = Array.from({ length: ADDED }, (_, n) => ({
      type: 'OpenValueAdded',
      data: { fieldId, trackerId: api.tracker('item'), number: n + 1, label: `label ${n + 1}` },
      id: randomUUID(),
    }));
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    const { position } = await api.service.log.append(openValuesStream(fieldId), -1, events, metadata);
    expect(await api.service.readModels.caughtUp(TRACKERS, position, 60_000)).to.equal(true);
  });
  after(() => api.stop());

  const values = (field: number | string, query = '', as?: string) =>
    api.get(`/tracker_fields/${field}/values${query}`, as === undefined ? {} : { as });
  const tags = (): number => api.field('item', 'tags');
  const idsOf = (items: readonly { readonly id: number | string }[]) => items.map(({ id }) => id);
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `o${from + n}`);

  it('are shown with the tracker, the first 1,000 of them, after all of its own', async () => {
    const { body } = await api.get(`/trackers/${api.tracker('item')}`);
    const shown = body.fields.find(({ name }: { name: string }) => name === 'tags').values;
    expect(idsOf(shown).slice(2)).to.deep.equal(numbers(1, SHOWN));
    expect(shown.slice(0, 3).map(({ label }: { label: string }) => label)).to.deep.equal(['own', 'hidden', 'label 1']);
    expect(shown[2]).to.deep.equal({ id: 'o1', label: 'label 1', is_hidden: false, value_color: '' });
  });

  it('are all there, in pages, in the form in which the tracker shows them', async () => {
    const { body: tracker } = await api.get(`/trackers/${api.tracker('item')}`);
    const shown = tracker.fields.find(({ name }: { name: string }) => name === 'tags').values;
    const first = await values(tags(), `?limit=${SHOWN}`);
    const second = await values(tags(), `?limit=${SHOWN}&offset=${SHOWN}`);

    expect([...first.body, ...second.body].slice(0, shown.length)).to.deep.equal(shown);
    expect(idsOf([...first.body, ...second.body]).slice(2)).to.deep.equal(numbers(1, ADDED));
    expect(first.headers.get('X-PAGINATION-SIZE')).to.equal(String(ADDED + 2));
    expect(first.headers.get('X-PAGINATION-LIMIT-MAX')).to.equal('1000');
    expect((await values(tags())).body).to.have.length(100);
    expect((await values(tags(), '?limit=1001')).status).to.equal(400);
  });

  it('are found by writes and filters beyond those that are shown', async () => {
    const set = [{ field_id: tags(), bind_value_ids: [`label ${ADDED}`] }];
    const { status, body } = await api.post('/artifacts', {
      as: 'member',
      body: { tracker: { id: api.tracker('item') }, values: set },
    });
    expect(status).to.equal(201);
    const filter = encodeURIComponent(JSON.stringify({ tags: `o${ADDED}` }));
    const found = await api.get(`/trackers/${api.tracker('item')}/artifacts?query=${filter}`);
    expect(idsOf(found.body)).to.deep.equal([body.id]);
    expect((await values(tags(), '?limit=0')).headers.get('X-PAGINATION-SIZE')).to.equal(String(ADDED + 2));
  });

  it('are hidden from readers who may not read the field', async () => {
    const statuses = async (tracker: string, field: string): Promise<readonly number[]> => {
      const id = api.field(tracker, field);
      const readers = [undefined, 'other', 'member'];
      return Promise.all(readers.map(async (as) => (await values(id, '', as)).status));
    };
    expect(await statuses('item', 'kept')).to.deep.equal([404, 404, 200]);
    expect(await statuses('inner', 'tags')).to.deep.equal([404, 404, 200]);
    expect(await statuses('away', 'tags')).to.deep.equal([403, 403, 403]);
    expect((await values(999_999)).status).to.equal(404);
  });

  it('are none where users add none', async () => {
    expect((await values(api.field('item', 'people'))).status).to.equal(404);
    expect((await values(api.field('item', 'line'))).status).to.equal(404);
    expect((await values('x')).status).to.equal(400);
  });
});
