/** More than the embedded stores can serve: what was acknowledged stays true. Facts, and no speeds. */
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { holdReadModels } from '../../support/held-read-models.js';
import { runService, type RunningService } from '../../support/service.js';

/** More than may go on at once. */
const WRITERS = 120;
const READERS = 32;
const LOAD_MS = 1000;
const LAG_GONE_MS = 60_000;
const PARTS = ['', '/changesets', '/links', '/linked_artifacts?nature=&direction=forward', '/history'];

const revisionIn = ({ headers }: Answer): number => Number(/^"(\d+)"$/.exec(headers.get('Etag') ?? '')?.[1]);

/** 503, with the time after which a client may try again. */
function expectRefusal(answer: Answer): void {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(503);
  expect(Number(answer.headers.get('Retry-After'))).to.be.greaterThan(0);
  expect(answer.body.error.message).not.to.include('cannot be verified');
}

describe('Overload', () => {
  let api: RunningService;

  beforeEach(async () => {
    api = await runService();
  });

  afterEach(() => api.stop());

  const values = (title: string) => [{ field_id: api.field('bug', 'title'), value: title }];
  const submit = (): Promise<Answer> =>
    api.post('/artifacts', { as: 'alice', body: { tracker: { id: api.tracker('bug') }, values: values('a bug') } });
  const link = (id: number): Promise<Answer> => {
    const linked = [...values('a link'), { field_id: api.field('bug', 'links'), links: [{ id }] }];
    return api.post('/artifacts', { as: 'alice', body: { tracker: { id: api.tracker('bug') }, values: linked } });
  };
  const change = (id: number, title: string): Promise<Answer> =>
    api.put(`/artifacts/${id}`, { as: 'alice', body: { values: values(title) } });
  const read = (id: number): Promise<Answer> => api.get(`/artifacts/${id}`, { as: 'alice' });
  const lagIsGone = async (id: number): Promise<Answer> => {
    for (const deadline = performance.now() + LAG_GONE_MS; performance.now() < deadline;) {
      const answer = await read(id);
      if (answer.status === 200) return answer;
      expectRefusal(answer);
    }
    throw new Error('the read models do not catch up');
  };

  it('of writers and readers: nothing that was acknowledged is missing or older, and nothing that was refused is there', async () => {
    const acknowledged = new Map<number, number>();
    let submitted = 0;
    const end = performance.now() + LOAD_MS;
    const isOver = (): boolean => performance.now() > end;
    const expectRead = (answer: Answer, revision: number): void => {
      if (answer.status === 200) expect(revisionIn(answer)).to.be.at.least(revision);
      else expectRefusal(answer);
    };
    const write = async (nth: number): Promise<void> => {
      let id: number | undefined;
      for (let round = 0; !isOver(); round += 1) {
        const answer = id === undefined ? await submit() : await change(id, `${nth}, round ${round}`);
        if (answer.status === 503) expectRefusal(answer);
        else {
          expect(answer.status).to.be.oneOf([200, 201]);
          submitted += answer.status === 201 ? 1 : 0;
          id ??= (answer.body as { readonly id: number }).id;
          acknowledged.set(id, revisionIn(answer));
          expectRead(await read(id), revisionIn(answer));
        }
      }
    };
    const readAnother = async (nth: number): Promise<void> => {
      while (!isOver()) {
        const [id, revision] = [...acknowledged][nth % Math.max(1, acknowledged.size)] ?? [];
        if (id === undefined || revision === undefined) await api.get('/users/self', { as: 'alice' });
        else expectRead(await read(id), revision);
      }
    };
    await Promise.all([
      ...Array.from({ length: WRITERS }, (_, nth) => write(nth)),
      ...Array.from({ length: READERS }, (_, nth) => readAnother(nth)),
    ]);
    const last = await Promise.all([...acknowledged.keys()].map(lagIsGone));
    expect(last.map(revisionIn)).to.deep.equal([...acknowledged.values()]);
    const page = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1`, { as: 'alice' });
    expect(Number(page.headers.get('X-Pagination-Size'))).to.equal(submitted);
  });

  /** The file of the read models is what this spec holds. */
  if ((process.env['TEST_STORES'] ?? '') !== '') return;

  it('of read models that stand still: an artifact is not shown as it was before an acknowledged write', async () => {
    const { id } = (await submit()).body as { readonly id: number };
    const before = revisionIn(await read(id));
    const { id: deleted } = (await submit()).body as { readonly id: number };
    await read(deleted);
    const held = holdReadModels(api.directory);
    try {
      const [changed, made, gone] = await Promise.all([
        change(id, 'changed'),
        submit(),
        api.request('DELETE', `/artifacts/${deleted}`, { as: 'alice' }),
      ]);
      expect([changed.status, made.status, gone.status]).to.deep.equal([200, 201, 200]);
      expect(revisionIn(changed)).to.be.greaterThan(before);
      const { id: unshown } = made.body as { readonly id: number };
      const paths = [id, unshown, deleted].flatMap((one) => PARTS.map((part) => `/artifacts/${one}${part}`));
      const refused = await Promise.all(paths.map((path) => api.get(path, { as: 'alice' })));
      for (const answer of refused) expectRefusal(answer);
      for (const one of [unshown, deleted]) expectRefusal(await link(one));
      held.exec('ROLLBACK');
      expect(revisionIn(await lagIsGone(id))).to.equal(revisionIn(changed));
      await lagIsGone(unshown);
      expect((await link(unshown)).status).to.equal(201);
    } finally {
      held.close();
    }
  });
});
