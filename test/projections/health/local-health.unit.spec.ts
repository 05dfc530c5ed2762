import { expect } from 'chai';
import { type Position } from '../../../src/core/event-log.js';
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

  it('never ends a stop by itself', () => {
    const { notice, unhealthy } = watch();
    at(1);
    notice({ type: 'stopped', projection: 'users', reason: 'it cannot', poison: null, isServed: true });
    at(100_000);
    expect(unhealthy()).to.have.length(1);
    notice(progress);
    expect(unhealthy()).to.have.length(0);
  });
});
