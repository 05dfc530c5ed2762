/** Each process keeps answers, and another one changes what they were made of. */
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { type ServiceProcess } from '../../support/process.js';
import { processes, started, type Names, type Processes } from './processes.js';

type Json = Readonly<Record<string, unknown>>;

onStandIn('mongo-java-server', 'what two processes answer again', () => {
  let them: Processes;
  let apis: readonly [ServiceProcess, ServiceProcess];
  let names: Names;
  before(async () => {
    them = await processes();
    const begun = await started(them, ['api', 'api', 'worker'], { PLATFORM_FILE: them.platformFile });
    ({ names } = begun);
    apis = [begun.services[0], begun.services[1]];
  });
  after(() => them.close());

  const titled = (value: string): Json => ({ field_id: names.field('title'), value });
  const linked = (...ids: readonly number[]): Json => ({
    field_id: names.field('links'),
    links: ids.map((id) => ({ id, type: '' })),
  });
  const created = async (by: ServiceProcess, title: string): Promise<number> => {
    const body = { tracker: { id: names.tracker }, values: [titled(title)] };
    const answer = await by.post('/artifacts', { as: 'carol', body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return Number(answer.body.id);
  };
  const change = async (by: ServiceProcess, id: number, ...values: readonly Json[]): Promise<void> => {
    const answer = await by.put(`/artifacts/${id}`, { as: 'carol', body: { values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };
  const get = async (from: ServiceProcess, path: string): Promise<Answer> => {
    const answer = await from.get(path, { as: 'carol' });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };
  const page = (): string => `/trackers/${names.tracker}/artifacts?values=all&limit=100`;
  const plainPage = (): string => `/trackers/${names.tracker}/artifacts?limit=100`;
  /** In each process, twice: then it is kept there. */
  const kept = async (...paths: readonly string[]): Promise<void> => {
    for (const api of [...apis, ...apis]) for (const path of paths) await get(api, path);
  };

  it('is nothing that was there before a change that either of them has answered', async () => {
    const id = await created(apis[0], 'Crash');
    for (let n = 1; n <= 20; n += 1) {
      await kept(`/artifacts/${id}`, page(), plainPage());
      const [writer, other] = n % 2 === 0 ? apis : [apis[1], apis[0]];
      await change(writer, id, titled(`Crash ${n}`));
      for (const api of [other, writer]) {
        const answers = await Promise.all([`/artifacts/${id}`, page(), plainPage()].map((path) => get(api, path)));
        for (const { body } of answers) expect(JSON.stringify(body)).to.include(`"Crash ${n}"`);
        expect(answers[0]?.headers.get('etag')).to.equal(`"${n}"`);
      }
    }
  });

  it('has the links that another artifact has got or lost in the other process', async () => {
    const [target, source] = [await created(apis[0], 'Target'), await created(apis[1], 'Source')];
    const sourcesAt = async (api: ServiceProcess): Promise<string> => {
      const { body } = await get(api, `/artifacts/${target}`);
      return JSON.stringify((body.values as Json[]).find((value) => value['field_id'] === names.field('links')));
    };
    for (let n = 0; n < 5; n += 1) {
      await kept(`/artifacts/${target}`);
      await change(apis[0], source, linked(target));
      expect(await sourcesAt(apis[1])).to.include(`"id":${source}`);
      await kept(`/artifacts/${target}`);
      await change(apis[1], source, linked());
      expect(await sourcesAt(apis[0])).not.to.include(`"id":${source}`);
    }
  });

  it('is not answered once the artifact is deleted', async () => {
    const id = await created(apis[0], 'Short-lived');
    await kept(`/artifacts/${id}`, page(), plainPage());
    const { status } = await apis[0].request('DELETE', `/artifacts/${id}`, { as: 'bob' });
    expect(status).to.equal(200);
    expect((await apis[1].get(`/artifacts/${id}`, { as: 'carol' })).status).to.equal(404);
    for (const path of [page(), plainPage()]) {
      expect(JSON.stringify((await get(apis[1], path)).body)).not.to.include('Short-lived');
    }
  });

  it('grows with every artifact that either of them has answered, whatever is asked for meanwhile', async () => {
    let isDone = false;
    const asking = apis.map(async (api) => {
      while (!isDone) await Promise.all([get(api, page()), get(api, plainPage())]);
    });
    const ids: number[] = [];
    try {
      for (let n = 0; n < 20; n += 1) {
        ids.push(await created(apis[n % 2]!, `One more ${n}`));
        const asked = apis.flatMap((api) => [page(), plainPage()].map((path) => get(api, path)));
        const seen = await Promise.all(asked);
        for (const { body } of seen) {
          const shown = (body as unknown as { readonly id: number }[]).map(({ id }) => id);
          expect(shown).to.include.members(ids);
        }
      }
    } finally {
      isDone = true;
      await Promise.all(asking);
    }
  });
});
