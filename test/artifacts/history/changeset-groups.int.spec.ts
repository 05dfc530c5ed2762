import { expect } from 'chai';
import { changesetPage } from '../../../src/artifacts/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type StreamPart } from '../../../src/core/event-log.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const LONGEST = 65_000;
/** Of the longest texts: more than half a mebibyte. */
const FULL = 9;
const TEXTS = Array.from({ length: FULL }, (_, n) => `t${n}`);
const CHANGES = 4;

describe('the changesets of a page', () => {
  let api: ArtifactApi;
  before(async () => {
    const texts = TEXTS.map((name) => ({ name, label: name, type: 'text' }));
    api = await artifactApi({ platform: plainPlatform([...texts, { name: 'line', label: 'Line', type: 'string' }]) });
  });
  after(() => api.stop());

  const text = (name: string, size: number) => api.set(name, { value: { content: 'x'.repeat(size), format: 'text' } });

  /** Of an artifact whose texts are all long. */
  const changed = async (
    values: (n: number) => readonly object[],
    comment: (n: number) => string,
    changes = CHANGES,
  ) => {
    const id = await api.created(TEXTS.map((name) => text(name, LONGEST)));
    for (let n = 1; n <= changes; n += 1) {
      const body = { values: values(n), comment: { body: comment(n), format: 'text' } };
      expect((await api.put(`/artifacts/${id}`, { as: 'carol', body })).status).to.equal(200);
    }
    return id;
  };

  /** The page of all changes but the first: how many are held at once, one group after the other. */
  const held = async (id: number, order: 'asc' | 'desc', fields: 'all' | 'comments', changes = CHANGES) => {
    const { service } = api;
    const ids: number[] = [];
    const takenBefore: number[] = [];
    const log = {
      read: (stream: `${string}-${string}`, part: StreamPart) => {
        takenBefore.push(ids.length);
        return service.log.read(stream, part);
      },
    } as typeof service.log;
    const alice = viewer(service.definitions, service.definitions.userNamed('alice') ?? null);
    // The submission has no comment.
    const unwanted = fields === 'all' ? 1 : 0;
    const page = { order, fields, limit: changes, offset: order === 'asc' ? unwanted : 0 };
    const { texts, total } = await changesetPage(id, page, { ...service, log, viewer: alice });
    expect(total).to.equal(unwanted + changes);
    expect(takenBefore.splice(0)).to.deep.equal([0]);
    for await (const list of texts) ids.push(...list.map((text) => (JSON.parse(text) as { id: number }).id));
    const all = Array.from({ length: changes }, (_, n) => n + 2);
    expect(ids).to.deep.equal(order === 'asc' ? all : all.toReversed());
    return [...takenBefore.slice(1), ids.length].map((taken, n) => taken - (takenBefore[n] ?? 0));
  };

  it('are held together where they share their values', async () => {
    const id = await changed(
      (n) => [api.set('line', { value: `${n}` })],
      () => '',
    );
    for (const order of ['asc', 'desc'] as const) expect(await held(id, order, 'all')).to.deep.equal([4]);
  });

  it('are held half a mebibyte at a time, and one more', async () => {
    const id = await changed(
      (n) => TEXTS.slice(0, 5).map((name) => text(name, LONGEST - n)),
      () => '',
    );
    for (const order of ['asc', 'desc'] as const) expect(await held(id, order, 'all')).to.deep.equal([2, 2]);
  });

  it('hold no values where none are shown', async () => {
    const id = await changed(
      (n) => TEXTS.map((name) => text(name, LONGEST - n)),
      (n) => `${n}`,
    );
    for (const order of ['asc', 'desc'] as const) expect(await held(id, order, 'comments')).to.deep.equal([4]);
  });

  it('are held by the size of their comments, too', async () => {
    const id = await changed(
      () => [],
      (n) => `${n % 10}`.repeat(LONGEST),
      10,
    );
    for (const order of ['asc', 'desc'] as const) expect(await held(id, order, 'comments', 10)).to.deep.equal([9, 1]);
  });
});
