import { expect } from 'chai';
import { artifactsOf } from '../../../src/artifacts/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const SOURCES = 1300;
/** Documents that are read at once. */
const SLICE = 200;

describe('relations of an artifact that many link to', () => {
  let api: ArtifactApi;
  let target: number;
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([]) });
    target = await api.created();
    const links = { [String(api.field('bug', 'links'))]: [{ id: target, type: '' }] };
    await plantedArtifacts(
      api,
      api.tracker('bug'),
      Array.from({ length: SOURCES }, () => links),
    );
  });
  after(() => api.stop());

  /** How many documents are read to find what has the relation, and its ids. */
  const found = async (relation: string, gone = new AbortController(), leaveAfter = Infinity) => {
    const { readModels, definitions } = api.service;
    let read = 0;
    const getSlice: ReadModels['getSlice'] = async (...asked) => {
      const slice = await readModels.getSlice(...asked);
      read += slice.items.length;
      if (read >= leaveAfter) gone.abort(new ClientLeft());
      return slice;
    };
    const reading = { readModels: { ...readModels, getSlice }, definitions, viewer: viewer(definitions, null) };
    const page = { since: {}, direction: 'asc', limit: 10, offset: 0 } as const;
    const expert = { text: relation, now: new Date() };
    const tracker = definitions.tracker(api.tracker('bug'))!;
    const answer = artifactsOf(tracker, { ...page, expert }, { ...reading, gone: gone.signal });
    const ids = await answer.then(
      ({ items }) => items.map(({ id }) => id),
      (error: unknown) => error,
    );
    return { ids, read };
  };

  it('are known by the first of the links', async () => {
    const { ids, read } = await found('title = "Crash" AND IS LINKED FROM');
    expect(ids).to.deep.equal([target]);
    expect(read).to.be.at.most(SLICE);
  });

  it('are looked for until the client has left', async () => {
    const { ids, read } = await found('title = "Crash" AND WITH PARENT', new AbortController(), SLICE);
    expect(ids).to.be.instanceOf(ClientLeft);
    expect(read).to.equal(SLICE);
  });

  it('are looked for among all links if none of them is of the type', async () => {
    expect(await found('title = "Crash" AND WITH PARENT')).to.deep.equal({ ids: [], read: SOURCES });
  });
});
