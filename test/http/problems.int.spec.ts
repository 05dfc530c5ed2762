import { expect } from 'chai';
import { UnsupportedEvent, type Position } from '../../src/core/event-log.js';
import { Problem, type ProblemKind } from '../../src/core/problem.js';
import { type ErrorBody } from '../../src/http/problems.js';
import { userStream } from '../../src/users/user-events.js';
import { toyRoute as route } from './toy-route.js';
import { toyApp, type Toy } from './toy-app.js';

const routes = () => [
  route<unknown, { kind: ProblemKind }, { after?: number }>({
    method: 'GET',
    path: '/problems/:kind',
    access: 'public',
    summary: 'Refuses.',
    params: { type: 'object', properties: { kind: { type: 'string' } } },
    query: { type: 'object', properties: { after: { type: 'number' } } },
    handle({ params, query: { after } }) {
      throw new Problem(params.kind, 'because', after === undefined ? {} : { retryAfter: after });
    },
  }),
  route<unknown, { id: number }>({
    method: 'GET',
    path: '/unsupported/:id',
    access: 'public',
    summary: 'Meets an event of a newer release.',
    params: { type: 'object', properties: { id: { type: 'integer' } } },
    handle({ params: { id } }) {
      const event = { type: 'UserGreeted', stream: userStream(id), revision: 3, position: '7' as Position };
      throw new UnsupportedEvent({ ...event, schema: 2 });
    },
  }),
];

describe('an error that is answered', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp({ routes });
  });
  after(() => toy.close());
  const retryAfter = async (path: string) =>
    (await fetch(`${toy.url}/api/problems/${path}`)).headers.get('retry-after');

  it('names the time when another try may succeed, in whole seconds, at least one', async () => {
    for (const kind of ['too-many', 'unavailable']) {
      expect(await retryAfter(kind), kind).to.equal('1');
      expect(await retryAfter(`${kind}?after=0`), kind).to.equal('1');
      expect(await retryAfter(`${kind}?after=59.01`), kind).to.equal('60');
    }
    for (const kind of ['invalid', 'not-found', 'conflict', 'full'])
      expect(await retryAfter(kind), kind).to.equal(null);
    expect(await retryAfter('conflict?after=5')).to.equal('5');
  });

  it('about an invalid request has a detail: without a place it is about the body', async () => {
    const errorOf = async (kind: ProblemKind) => {
      const { error } = (await (await fetch(`${toy.url}/api/problems/${kind}`)).json()) as ErrorBody;
      return error;
    };
    expect((await errorOf('invalid')).details).to.deep.equal([{ pointer: '', message: 'because' }]);
    expect(await errorOf('conflict')).not.to.have.property('details');
  });

  it('about an event of a newer release is logged once for each stream, however often clients ask for it', async () => {
    const statuses = [];
    for (const id of [101, 102, 101, 102]) {
      statuses.push((await fetch(`${toy.url}/api/unsupported/${id}`)).status);
    }
    expect(statuses).to.deep.equal([503, 503, 503, 503]);
    const warnings = toy.lines().filter(({ level }) => level === 40);
    expect(warnings.map(({ stream, type, position }) => [stream, type, position])).to.deep.equal([
      ['user-101', 'UserGreeted', '7'],
      ['user-102', 'UserGreeted', '7'],
    ]);
  });
});
