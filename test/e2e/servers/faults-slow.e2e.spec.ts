import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { type TcpProxy } from '../../support/tcp-proxy.js';
import {
  askedFor,
  expectReadModelsLikeLog,
  expectUnavailable,
  foldedLog,
  insistently,
  onBadConnections,
  type BadConnections,
} from './bad-connections.js';

const SLOW_MS = 2000;
/** The bounds of docs/limits.md, "Waiting": 5 s for its turn and 10 s to be shown, with round trips of 2 to 4 s between them. */
const LONGEST_MS = 30_000;

onBadConnections('With slow connections, the service', (service) => {
  const slow: readonly (readonly [string, (api: BadConnections) => TcpProxy])[] = [
    ['EventStoreDB', ({ eventStoreDb }) => eventStoreDb],
    ['MongoDB', ({ mongoDb }) => mongoDb],
  ];
  for (const [name, connection] of slow) {
    it(`to ${name}, answers late or that it cannot, and loses and doubles nothing`, async () => {
      const api = service();
      const known = (await insistently(() => api.submit(`before ${name}`))).body.id;
      const titles = [0, 1, 2].map((n) => `${name} slow ${n}`);
      const keyed = titles.map((title) => () => api.submit(title, title.replaceAll(' ', '-')));
      const reads = [() => api.read(known), () => api.titled('before')];

      connection(api).delay(SLOW_MS);
      const { answers, slowest } = await askedFor(500, [...keyed, ...reads]);
      connection(api).delay(0);

      expect(slowest).to.be.below(LONGEST_MS);
      answers.filter(({ status }) => status >= 300).forEach(expectUnavailable);
      const again: Answer[] = [];
      for (const send of keyed) again.push(await insistently(send));
      expect(again.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
      const folded = [...(await foldedLog(api)).values()].map(({ title }) => title);
      expect(folded.filter((title) => titles.includes(title)).sort()).to.deep.equal(titles);
      await expectReadModelsLikeLog(api);
      expect(api.lines().join('\n')).to.not.include('defect');
    });
  }
});
