import { expect } from 'chai';
import { type Position } from '../../../src/core/event-log.js';
import { userStream } from '../../../src/users/user-events.js';
import { localHealth } from '../../../projections/health/local-health.js';

describe('the watch over projections', () => {
  let now = 0;
  const at = (seconds: number): void => {
    now = seconds * 1000;
  };
  const watch = () => localHealth(() => new Date(now));
  const troubled = { type: 'troubled', projection: 'users', reason: 'the disk is busy', retryInMs: 5000 } as const;
  const progress = {
    type: 'progress',
    projection: 'users',
    generation: 1,
    position: '0' as Position,
    models: [],
  } as const;

  it('reports since when a projection fails, until it makes progress', () => {
    const { notice, unhealthy } = watch();
    at(1);
    notice(troubled);
    at(6);
    notice(troubled);
    expect(unhealthy()).to.deep.equal([
      { projection: 'users', state: 'troubled', reason: 'the disk is busy', poison: null, since: new Date(1000) },
    ]);
    notice(progress);
    expect(unhealthy()).to.deep.equal([]);
  });

  it('reports a standstill without a trouble, and the trouble once it is told', () => {
    const { notice, standsStill, unhealthy } = watch();
    at(5);
    expect(standsStill('users', new Date(1000))).to.equal(true);
    const behind = { projection: 'users', state: 'troubled', reason: 'It is behind the log', poison: null };
    expect(unhealthy()).to.deep.equal([{ ...behind, since: new Date(1000) }]);
    notice(troubled);
    expect(standsStill('users', new Date(1000))).to.equal(false);
    expect(unhealthy()).to.deep.equal([{ ...behind, reason: 'the disk is busy', since: new Date(1000) }]);
  });

  it('keeps the reason and the end of a trouble during a standstill, which may have begun before', () => {
    const { notice, standsStill, unhealthy } = watch();
    const stopped = {
      type: 'stopped',
      projection: 'users',
      reason: 'an event is damaged',
      poison: null,
      isServed: true,
    } as const;
    at(5);
    notice(stopped);
    at(6);
    expect(standsStill('users', new Date(1000))).to.equal(false);
    at(100);
    expect(unhealthy()).to.deep.equal([
      { projection: 'users', state: 'stopped', reason: 'an event is damaged', poison: null, since: new Date(1000) },
    ]);
  });

  it('keeps the beginning of a trouble that is older than a standstill', () => {
    const { notice, standsStill, unhealthy } = watch();
    at(1);
    notice(troubled);
    at(6);
    expect(standsStill('users', new Date(2000))).to.equal(false);
    expect(unhealthy()).to.deep.equal([
      { projection: 'users', state: 'troubled', reason: 'the disk is busy', poison: null, since: new Date(1000) },
    ]);
  });

  it('ends the trouble if the next try is not reported as failed', () => {
    const { notice, unhealthy } = watch();
    at(1);
    notice(troubled);
    at(15);
    expect(unhealthy()).to.have.length(1);
    at(17);
    expect(unhealthy()).to.have.length(0);
    notice(troubled);
    expect(unhealthy()[0]?.since).to.deep.equal(new Date(17_000));
  });

  it('reports a projection that is filled again, until it makes progress', () => {
    const { notice, unhealthy } = watch();
    at(1);
    const missing = { position: '5' as Position, expected: null, found: null };
    notice({ type: 'withdrawn', projection: 'users', models: [], ...missing });
    // Of the filling.
    notice(troubled);
    at(100_000);
    expect(unhealthy()[0]).to.include({ projection: 'users', state: 'troubled' });
    expect(unhealthy()[0]?.reason).to.include('It is filled again');
    notice(progress);
    expect(unhealthy()).to.deep.equal([]);
  });

  it('takes no stream that is unavailable and no document that differed for trouble, nor for the end of it', () => {
    const { notice, unhealthy } = watch();
    const of = { stream: userStream(101), type: 'UserGreeted', position: '5' as Position };
    const mark = { ...of, schema: 2, revision: 1, reason: 'a newer event' };
    const news = [
      { type: 'marked', projection: 'users', mark },
      { type: 'differed', projection: 'users', reason: 'one document' },
    ] as const;
    for (const each of news) notice(each);
    expect(unhealthy()).to.deep.equal([]);
    notice(troubled);
    for (const each of news) notice(each);
    expect(unhealthy()[0]).to.include({ reason: 'the disk is busy' });
  });

  it('never ends a stop by itself', () => {
    const { notice, unhealthy } = watch();
    at(1);
    const event = { type: 'UserGreeted', stream: userStream(101), revision: 1, position: '5' as Position };
    const poison = { ...event, reason: 'it cannot' };
    notice({ type: 'stopped', projection: 'users', reason: 'it cannot', poison, isServed: true });
    // Of a rebuild.
    notice(troubled);
    at(100_000);
    expect(unhealthy()).to.deep.equal([
      { projection: 'users', state: 'stopped', reason: 'it cannot', poison, since: new Date(1000) },
    ]);
    notice(progress);
    expect(unhealthy()).to.have.length(0);
  });
});
