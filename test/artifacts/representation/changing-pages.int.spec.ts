import { expect } from 'chai';
import { type ReadModels } from '../../../src/core/read-models.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, pageHeaders, type ArtifactApi } from '../artifact-api.js';

/** In characters: five such artifacts are a slice. Half of the text is shown once only, or pages would begin too early. */
const TEXT = 60_000;
/** Two slices, both of them made before the page is sent. */
const FEW = 8;
/** Five slices: the last one is made while the page is sent. */
const MANY = 22;
const ADMINISTRATORS = { value: { granted_groups: ['101_4'] } };

interface Item {
  readonly id: number;
}

interface PageRoute {
  readonly name: string;
  readonly path: (ids: readonly number[]) => Promise<string>;
  /** Which of the slices that are read by their ids is the last one of the page. */
  readonly lastOf: Readonly<Record<typeof FEW | typeof MANY, number>>;
  readonly itemsOf: (body: unknown) => readonly Item[];
}

describe('a page that changes while it is read', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  /** Comes before each slice that is read by its ids. */
  let beforeSlice: () => Promise<void>;

  before(async () => {
    api = await artifactApi();
    const { readModels } = api.service;
    const getSlice: ReadModels['getSlice'] = async (model, ids, sees) => {
      if (model.name === 'artifacts') await beforeSlice();
      return readModels.getSlice(model, ids, sees);
    };
    const service = { ...api.service, readModels: { ...readModels, getSlice } };
    listening = await serve({ ...api.serving, service });
    reader = client(`http://127.0.0.1:${listening.port}`);
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });

  const textOf = (n: number): string => `The text of ${n}. <!--${'x'.repeat(TEXT)}-->`;
  const described = (n: number) => api.set('description', { value: { content: textOf(n), format: 'html' } });
  /** As many artifacts, each with the text of its id. */
  const made = async (count: number): Promise<readonly number[]> => {
    const ids: number[] = [];
    for (let n = 0; n < count; n += 1) ids.push(await api.created());
    for (const id of ids) await api.changed(id, [described(id)]);
    return ids;
  };
  const hidden = (id: number): Promise<unknown> =>
    api.changed(id, [api.set('readers', ADMINISTRATORS)], { as: 'alice' });
  /** Each time that the last slice of the page comes, the next of these changes first. */
  const beforeLast = (nth: number, changes: readonly (() => Promise<unknown>)[]): void => {
    const left = [...changes];
    let slices = 0;
    beforeSlice = async () => {
      slices += 1;
      if (slices % nth === 0) await left.shift()?.();
    };
  };

  const collectionOf = (body: unknown) => (body as { readonly collection: readonly Item[] }).collection;
  const routes: readonly PageRoute[] = [
    {
      name: 'of a tracker',
      path: (ids) => {
        const filter = encodeURIComponent(JSON.stringify({ id: { operator: '>=', value: ids[0] } }));
        return Promise.resolve(`/trackers/${api.tracker('bug')}/artifacts?values=all&query=${filter}`);
      },
      lastOf: { [FEW]: 1, [MANY]: 4 },
      itemsOf: (body) => body as readonly Item[],
    },
    {
      name: 'of ids',
      path: (ids) => Promise.resolve(`/artifacts?query=${encodeURIComponent(JSON.stringify({ id: ids }))}`),
      lastOf: { [FEW]: 3, [MANY]: 9 },
      itemsOf: collectionOf,
    },
    {
      name: 'of linked artifacts',
      path: async (ids) => {
        const links = ids.map((id) => ({ id, type: '' }));
        const note = await api.created([api.set('links', { links }, 'note')], { tracker: 'note' });
        return `/artifacts/${note}/linked_artifacts?direction=forward&limit=50`;
      },
      lastOf: { [FEW]: 5, [MANY]: 11 },
      itemsOf: collectionOf,
    },
  ];

  for (const { name, path, lastOf, itemsOf } of routes) {
    for (const [what, change] of [
      ['is hidden from the reader', hidden],
      ['is deleted', (id: number) => api.deleted(id)],
    ] as const) {
      it(`${name} is read again without the artifact that ${what}`, async () => {
        const ids = await made(FEW);
        const asked = await path(ids);
        const gone = ids.at(-2)!;
        beforeLast(lastOf[FEW], [() => change(gone)]);
        const answer = await reader.get(asked);
        const seen = ids.filter((id) => id !== gone);
        expect(itemsOf(answer.body).map(({ id }) => id)).to.deep.equal(seen);
        expect(pageHeaders(answer)[2]).to.equal(seen.length);
        expect(JSON.stringify(answer.body)).not.to.contain(`The text of ${gone}.`);
      });
    }

    it(`${name} is refused, for a moment, when it changes at each of three tries`, async () => {
      const ids = await made(FEW);
      const asked = await path(ids);
      const gone = ids.slice(-3);
      beforeLast(
        lastOf[FEW],
        gone.map((id) => () => hidden(id)),
      );
      const refused = await reader.get(asked);
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('1');
      expect(Object.keys(refused.body as object)).to.deep.equal(['error']);
      const answer = await reader.get(asked);
      expect(itemsOf(answer.body).map(({ id }) => id)).to.deep.equal(ids.slice(0, -3));
    });

    it(`${name} is answered when it changes at two tries`, async () => {
      const ids = await made(FEW);
      const asked = await path(ids);
      beforeLast(
        lastOf[FEW],
        ids.slice(-2).map((id) => () => hidden(id)),
      );
      const answer = await reader.get(asked);
      expect(itemsOf(answer.body).map(({ id }) => id)).to.deep.equal(ids.slice(0, -2));
      expect(pageHeaders(answer)[2]).to.equal(FEW - 2);
    });

    it(`${name} breaks off before the artifact that is hidden once the answer has begun`, async () => {
      const ids = await made(MANY);
      const asked = await path(ids);
      const gone = ids.at(-1)!;
      beforeLast(lastOf[MANY], [() => hidden(gone)]);
      const { status, text, isWhole } = await taken(`${reader.url}/api${asked}`);
      expect([status, isWhole]).to.deep.equal([200, false]);
      expect(text).to.contain(`The text of ${ids[0]}.`).and.not.to.contain(`The text of ${gone}.`);
    });
  }
});

/** All that comes of an answer, and whether its connection ended well. */
async function taken(
  url: string,
): Promise<{ readonly status: number; readonly text: string; readonly isWhole: boolean }> {
  const { status, body } = await fetch(url);
  let text = '';
  try {
    for await (const bytes of body?.pipeThrough(new TextDecoderStream()) ?? []) text += bytes;
    return { status, text, isWhole: true };
  } catch {
    return { status, text, isWhole: false };
  }
}
