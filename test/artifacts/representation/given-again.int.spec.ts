import { expect } from 'chai';
import fc from 'fast-check';
import { type ArtifactApi, type Json } from '../artifact-api.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { plainPlatform } from '../plain-platform.js';

const PLATFORM = plainPlatform(
  [
    { name: 'attachments', label: 'Attachments', type: 'file' },
    { name: 'readers', label: 'Readers', type: 'perm' },
  ],
  ['dave'],
);

const ARTIFACTS = 4;
const READERS = ['carol', 'dave'];

type Step = Readonly<{
  does: 'title' | 'link' | 'hide' | 'show' | 'attach' | 'delete' | 'add';
  on: number;
  to: number;
}>;

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    does: fc.constantFrom<Step['does']>('title', 'link', 'link', 'hide', 'show', 'attach', 'delete', 'add'),
    on: fc.nat(ARTIFACTS - 1),
    to: fc.nat(ARTIFACTS - 1),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('the answer about an artifact that was given before', () => {
  let api: ArtifactApi & Pick<FileApi, 'uploaded'>;
  before(async () => {
    api = await fileApi({ platform: PLATFORM });
  });
  after(() => api.stop());

  const links = (...ids: readonly number[]): Json => api.set('links', { links: ids.map((id) => ({ id, type: '' })) });
  const hidden = (is: boolean): Json =>
    api.set('readers', { value: { is_used_by_default: is, granted_groups: is ? ['101_4'] : [] } });

  type Take = (id: number, other: number, ids: number[]) => Promise<unknown>;

  const change = (id: number, value: Json) => api.changed(id, [value], { as: 'alice' });
  const taking: Readonly<Record<Step['does'], Take>> = {
    title: (id, _, ids) => change(id, api.titled(`now ${ids.length}`)),
    link: (id, other) => change(id, id === other ? links() : links(other)),
    hide: (id) => change(id, hidden(true)),
    show: (id) => change(id, hidden(false)),
    attach: async (id) => change(id, api.set('attachments', { value: [await api.uploaded('hello', 'alice')] })),
    add: async (id, _, ids) => ids.push(await api.created([links(id)], { as: 'alice' })),
    delete: (id, _, ids) => api.deleted(ids.splice(ids.indexOf(id), 1)[0]!),
  };

  /** A list of one artifact is made for each request. */
  async function made(id: number, as: string): Promise<unknown> {
    const { body } = await api.get(`/artifacts?query={"id":[${id}]}`, { as });
    return (body as { readonly collection: readonly unknown[] }).collection[0];
  }

  async function compare(ids: readonly number[]): Promise<void> {
    for (const as of READERS) {
      for (const id of ids) {
        const { status, body } = await api.get(`/artifacts/${id}?values_format=all`, { as });
        expect(status === 200 ? body : undefined, `${id} as ${as}`).to.deep.equal(await made(id, as));
      }
    }
  }

  /** Of pages whose limit nobody has asked for, and which are no longer than the same pages again. */
  let fresh = 100;
  async function comparePages(): Promise<void> {
    const title = api.field('bug', 'title');
    const filter = encodeURIComponent(JSON.stringify({ [title]: { operator: 'contains', value: 'now' } }));
    for (const as of READERS) {
      for (const query of ['order=desc', 'sort=-title', `query=${filter}`, 'modified_since=2026-01-01T00:00:00Z']) {
        fresh += 1;
        const path = `/trackers/${api.tracker('bug')}/artifacts?${query}`;
        const [given, made] = await Promise.all([
          api.get(`${path}&limit=100`, { as }),
          api.get(`${path}&limit=${fresh}`, { as }),
        ]);
        expect(given.body, `${query} as ${as}`).to.deep.equal(made.body);
        expect(given.headers.get('x-pagination-size')).to.equal(made.headers.get('x-pagination-size'));
      }
    }
  }

  it('is, as a page of a tracker, what would be made now', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const ids: number[] = [];
        for (let n = 0; n < ARTIFACTS; n += 1) ids.push(await api.created());
        await comparePages();
        for (const step of taken) {
          const [id, other] = [ids[step.on], ids[step.to]];
          if (id !== undefined && other !== undefined) await taking[step.does](id, other, ids);
          await comparePages();
        }
        for (const id of ids) await api.deleted(id);
      }),
      { numRuns: 10 },
    );
  });

  it('is what would be made now, after any changes of it and of what it shows', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const ids: number[] = [];
        for (let n = 0; n < ARTIFACTS; n += 1) ids.push(await api.created());
        const all = [...ids];
        await compare(all);
        for (const step of taken) {
          const [id, other] = [ids[step.on], ids[step.to]];
          if (id !== undefined && other !== undefined) await taking[step.does](id, other, ids);
          for (const id of ids) if (!all.includes(id)) all.push(id);
          await compare(all);
        }
      }),
      { numRuns: 15 },
    );
  });
});
