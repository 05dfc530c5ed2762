import { expect } from 'chai';
import { fairLimit } from '../../../src/core/concurrency/fair-limit.js';

const MANY = 1000;

describe('A fair limit of concurrency', () => {
  /** Works that go on until they are told to end. Their names begin with their caller. */
  const works = (most: number, mayBegin?: (caller: string) => boolean) => {
    const limit = fairLimit({ most, mayBegin });
    const ends = new Map<string, () => void>();
    const begun: string[] = [];
    const enter = (name: string, leaving?: () => AbortSignal): Promise<string> =>
      limit.run(
        () =>
          new Promise((resolve) => {
            begun.push(name);
            ends.set(name, () => {
              resolve(name);
            });
          }),
        name.charAt(0),
        leaving,
      );
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    };
    const end = async (...names: string[]): Promise<void> => {
      for (const name of names) {
        ends.get(name)?.();
        await settled();
      }
    };
    const enterAll = (...names: string[]): void => {
      for (const name of names) void enter(name);
    };
    return { limit, begun, enter, enterAll, end, settled };
  };

  it('runs so many works at once, and half of them for one caller alone', async () => {
    const { begun, enterAll, end, settled } = works(4);
    enterAll('a1', 'a2', 'a3', 'a4');
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2']);
    enterAll('b1', 'c1', 'd1');
    expect(begun.slice(2)).to.deep.equal(['b1', 'c1']);
    await end('a2', 'a1');
    expect(begun.slice(4)).to.deep.equal(['d1', 'a3']);
  });

  it('begins callers in rotation', async () => {
    const { begun, enterAll, end } = works(1);
    enterAll('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    await end('a1', 'a2', 'b1', 'c1', 'a3', 'b2');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('gives a caller a further place only while more are free than it has', async () => {
    const { begun, enterAll, end } = works(5);
    enterAll('a1', 'a2', 'a3', 'b1', 'b2', 'b3');
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
    await end('a1');
    expect(begun.slice(4)).to.deep.equal(['b2']);
    await end('a2', 'a3');
    expect(begun.slice(5)).to.deep.equal(['b3']);
  });

  it('begins those callers first who have the fewest works under way', async () => {
    const { begun, enterAll, end } = works(4);
    enterAll('a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'c2');
    await end('c1', 'b1');
    expect(begun.slice(4)).to.deep.equal(['c2', 'b2']);
    await end('c2', 'b2');
    expect(begun.slice(6)).to.deep.equal([]);
    await end('a1');
    expect(begun.slice(6)).to.deep.equal(['a3']);
  });

  it('begins nothing of a caller who may not, until asked to begin what may', async () => {
    const allowed = new Set(['b']);
    const { begun, enterAll, end, limit, settled } = works(4, (caller) => allowed.has(caller));
    enterAll('a1', 'a2', 'b1', 'a3');
    await end('b1');
    expect(begun).to.deep.equal(['b1']);
    allowed.add('a');
    limit.beginNext();
    await settled();
    expect(begun).to.deep.equal(['b1', 'a1', 'a2']);
  });

  it('does not begin what is aborted before, and gives its place to the next', async () => {
    const { begun, enter, enterAll, end } = works(1);
    const leaving = new AbortController();
    enterAll('a1');
    const left = enter('a2', () => leaving.signal);
    enterAll('a3');
    leaving.abort(new Error('left'));
    expect(await left.catch(String)).to.equal('Error: left');
    expect(await enter('a4', () => leaving.signal).catch(String)).to.equal('Error: left');
    await end('a1');
    expect(begun).to.deep.equal(['a1', 'a3']);
    await end('a3');
  });

  it('asks for no signal of what it begins at once, and forgets that of what has begun', async () => {
    const { begun, enter, enterAll, end } = works(1);
    const leaving = new AbortController();
    const never = (): AbortSignal => {
      throw new Error('asked for');
    };
    void enter('a1', never);
    const second = enter('a2', () => leaving.signal);
    await end('a1');
    leaving.abort();
    enterAll('a3');
    await end('a2', 'a3');
    expect([await second, begun]).to.deep.equal(['a2', ['a1', 'a2', 'a3']]);
  });

  it('begins few of those that waited in a turn of the event loop, and none that has left meanwhile', async () => {
    const limit = fairLimit({ most: 1 });
    const leaving = new AbortController();
    let [ended, left] = [0, 0];
    const work = () => Promise.resolve((ended += 1));
    const all = Array.from({ length: MANY }, () => limit.run(work, 'a', () => leaving.signal).catch(() => (left += 1)));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(ended).to.be.below(MANY / 2);
    leaving.abort(new Error('left'));
    await Promise.all(all);
    expect(ended + left).to.equal(MANY);
    expect(left).to.be.greaterThan(MANY / 2);
  });

  it('gives the place of a work that fails on', async () => {
    const { begun, enterAll, limit, settled } = works(1);
    const failing = limit.run(() => Promise.reject(new Error('fails')), 'a');
    enterAll('a1');
    expect(await failing.catch(String)).to.equal('Error: fails');
    await settled();
    expect(begun).to.deep.equal(['a1']);
  });
});
