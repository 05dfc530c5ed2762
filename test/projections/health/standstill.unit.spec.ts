import { expect } from 'chai';
import { standstill, type Standstill } from '../../../projections/health/standstill.js';
import { at } from '../../stores/contracts/read-models-fixture.js';
import { type Position } from '../../../src/core/event-log.js';

describe('the watch over projections that stand still', () => {
  let now: number;
  let end: Position | null;
  let shown: Position;
  let found: string[];
  let watch: Standstill;
  beforeEach(() => {
    [now, end, shown, found] = [0, at(1), at(1), []];
    watch = standstill({
      names: ['users'],
      end: () => Promise.resolve(end),
      isShown: (_, position) => Promise.resolve(position <= shown),
      clock: () => new Date(now),
      onStandstill: (projection, since) => found.push(`${projection} since ${since.getTime()}`),
    });
  });

  const lookAt = async (milliseconds: number): Promise<readonly string[]> => {
    [now, found] = [milliseconds, []];
    await watch.look();
    return found;
  };

  it('finds one that is behind the log without any progress for four seconds, since the first look that found it so', async () => {
    expect(await lookAt(1000)).to.deep.equal([]);
    end = at(2);
    expect(await lookAt(2000)).to.deep.equal([]);
    end = at(3);
    expect(await lookAt(6000)).to.deep.equal([]);
    expect(await lookAt(6001)).to.deep.equal(['users since 2000']);
    expect(await lookAt(60_000)).to.deep.equal(['users since 2000']);
    shown = at(3);
    expect(await lookAt(61_000)).to.deep.equal([]);
    end = at(4);
    expect(await lookAt(70_000)).to.deep.equal([]);
  });

  it('finds none that makes progress, however far it is behind', async () => {
    end = at(100_000);
    for (let time = 0; time < 60_000; time += 4000) {
      expect(await lookAt(time)).to.deep.equal([]);
      watch.progressed('users');
    }
  });

  it('finds none in an empty log', async () => {
    end = null;
    expect(await lookAt(0)).to.deep.equal([]);
    expect(await lookAt(60_000)).to.deep.equal([]);
  });
});
