/** A query reads which comments hold a text before it reads a page: there are bounds to that. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { type Answer } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

const MOST = 10_000;
const AT_ONCE = 500;

describe('a query for a text that more than 10,000 comments hold', () => {
  let api: ArtifactApi;
  let few: number;

  before(async () => {
    api = await artifactApi();
    const many = await api.created();
    few = await api.created([api.titled('Rare')]);
    await api.changed(few, [], { comment: { body: 'The pump again', format: 'text' } });
    await commented(many, MOST);
  });
  after(() => api.stop());

  /** In events of their own, as that many requests would append them. */
  const commented = async (artifactId: number, times: number): Promise<void> => {
    const { log, readModels, clock } = api.service;
    const data = { artifactId, trackerId: api.tracker('bug'), values: {}, comment: { text: 'A pump', format: 'text' } };
    const metadata = { actor: null, at: clock().toISOString(), schema: 1, commandId: randomUUID() };
    let last = await log.append(artifactStream(artifactId), 0, events(AT_ONCE), metadata);
    for (let n = AT_ONCE; n < times; n += AT_ONCE) {
      last = await log.append(artifactStream(artifactId), n, events(AT_ONCE), metadata);
    }
    expect(await readModels.caughtUp(ARTIFACTS, last.position, 100_000)).to.equal(true);

    function events(count: number) {
      return Array.from({ length: count }, () => ({ type: 'ArtifactValuesChanged', data, id: randomUUID() }));
    }
  };
  const asked = (query: string): Promise<Answer> =>
    api.get(`/trackers/${api.tracker('bug')}/artifacts?expert_query=${encodeURIComponent(query)}`, { as: 'bob' });

  it('is answered 400 with the remedy', async () => {
    const { status, body } = await asked('@comments = "pump"');
    expect(status).to.equal(400);
    expect(body.error.message).to.include(
      'More than 10000 comments or files hold the text; join the search by AND with conditions that leave fewer artifacts',
    );
  });

  it('is answered where its other conditions leave artifacts with fewer such comments', async () => {
    const { status, body } = await asked('@comments = "pump" AND title = "Rare"');
    expect([status, body.map(({ id }: { id: number }) => id)]).to.deep.equal([200, [few]]);
    const none = await asked('@comments = "pump" AND title = "Rarer"');
    expect([none.status, none.body]).to.deep.equal([200, []]);
  });

  it('is answered 400 where a condition is joined by OR', async () => {
    expect((await asked('@comments = "pump" OR title = "Rare"')).status).to.equal(400);
  });
});
