import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import {
  expectReadModelsLikeLog,
  foldedLog,
  insistently,
  onBadConnections,
  SECRET,
  whileCutting,
  type BadConnections,
} from './bad-connections.js';

const CLIENTS = 4;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** By each client one after the other, by all at once. */
async function byClients(rounds: number, work: (client: number, round: number) => Promise<void>): Promise<void> {
  const one = async (client: number): Promise<void> => {
    for (const round of numbers(rounds)) await work(client, round);
  };
  await Promise.all(numbers(CLIENTS).map(one));
}

/** Until it is done: after an answer that left it open, a refusal may come of its having been done. */
async function changedUnderIfMatch(api: BadConnections, id: number, title: string, etag: string): Promise<string> {
  let sent = 0;
  const answer = await insistently(() => {
    sent += 1;
    return api.change(id, title, etag);
  });
  if (answer.status === 200) return answer.headers.get('etag')!;
  expect(answer.status).to.equal(412);
  expect(sent, 'refused at once').to.be.above(1);
  return `"${(await foldedLog(api)).get(id)?.revision}"`;
}

onBadConnections('Cut off from EventStoreDB again and again, the service', (service) => {
  it('makes one artifact for each key, and one revision of each change', async () => {
    const [api, rounds, changes] = [service(), 4, 3];
    const made = new Map<string, readonly [number, readonly string[]]>();
    await whileCutting(api.eventStoreDb, 200, () =>
      byClients(rounds, async (client, round) => {
        const key = `key ${client} ${round}`.replaceAll(' ', '-');
        const { status, body, headers } = await insistently(() => api.submit(key, key));
        expect(status, JSON.stringify(body)).to.equal(201);
        let etag = headers.get('etag')!;
        const titles = [key];
        for (const change of numbers(changes)) {
          titles.push(`${key} changed ${change}`);
          etag = await changedUnderIfMatch(api, body.id, titles.at(-1)!, etag);
        }
        made.set(key, [body.id, titles]);
      }),
    );
    const again: readonly Answer[] = await Promise.all(
      [...made.keys()].map((key) => insistently(() => api.submit(key, key))),
    );
    expect(again.map(({ body }) => body.id)).to.deep.equal([...made.values()].map(([id]) => id));

    const folded = await foldedLog(api);
    expect(folded.size).to.equal(CLIENTS * rounds);
    for (const [id, titles] of made.values()) {
      expect(folded.get(id)).to.deep.equal({ revision: changes, title: titles.at(-1), titles });
    }
    await expectReadModelsLikeLog(api);
    expect(api.lines().join('\n')).to.not.include('defect').and.not.include(SECRET);
  });
});

onBadConnections('Cut off from MongoDB again and again, the service', (service) => {
  it('ends with read models that equal a fold of the log', async () => {
    const [api, rounds] = [service(), 6];
    const ids: number[] = [];
    await whileCutting(api.mongoDb, 1000, () =>
      byClients(rounds, async (client, round) => {
        const { status, body } = await insistently(() => api.submit(`new ${client} ${round}`));
        expect(status, JSON.stringify(body)).to.equal(201);
        ids.push(body.id);
        const any = ids[(7 * round) % ids.length]!;
        expect((await insistently(() => api.change(any, `changed ${client} ${round}`))).status).to.equal(200);
      }),
    );
    const folded = await foldedLog(api);
    expect(folded.size).to.equal(CLIENTS * rounds);
    expect([...folded.values()].flatMap(({ titles }) => titles)).to.have.length(2 * CLIENTS * rounds);
    await expectReadModelsLikeLog(api);
    expect(api.lines().join('\n')).to.not.include('defect');
  });
});
