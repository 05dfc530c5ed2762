import { expect } from 'chai';
import { fairLimit, type Turn } from '../../../src/core/concurrency/fair-limit.js';

describe('A fair limit of concurrency', () => {
  /** Works that go on until they are told to end. Their names begin with their caller. */
  const works = (most: number, mostOfOne = most) => {
    const limit = fairLimit({ most, mostOfOne });
    const ends = new Map<string, () => void>();
    const begun: string[] = [];
    const enter = (name: string, turn: Partial<Turn> = {}): Promise<string> =>
      limit.run(
        () =>
          new Promise((resolve) => {
            begun.push(name);
            ends.set(name, () => {
              resolve(name);
            });
          }),
        { caller: name.charAt(0), isUnderWay: false, ...turn },
      );
    const settled = (): Promise<void> => new Promise(setImmediate);
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

  it('runs so many works at once', async () => {
    const { begun, enterAll, end, settled } = works(2);
    enterAll('a1', 'a2', 'a3', 'a4');
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2']);
    await end('a2', 'a1');
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
  });

  it('begins callers in rotation', async () => {
    const { begun, enterAll, end } = works(1);
    enterAll('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    await end('a1', 'a2', 'b1', 'c1', 'a3', 'b2');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('begins what is under way before all else of its caller, but not before other callers', async () => {
    const { begun, enter, enterAll, end } = works(1);
    enterAll('a1', 'b1', 'b2', 'a2');
    void enter('a3', { isUnderWay: true });
    await end('a1', 'b1', 'a3', 'b2', 'a2');
    expect(begun).to.deep.equal(['a1', 'b1', 'a3', 'b2', 'a2']);
  });

  it('leaves places to others than one caller', async () => {
    const { begun, enterAll, end, limit } = works(3, 2);
    enterAll('a1', 'a2', 'a3', 'b1', 'b2');
    expect([begun, limit.isFull('a'), limit.isFull('b')]).to.deep.equal([['a1', 'a2', 'b1'], true, true]);
    await end('b1');
    expect(begun.slice(3)).to.deep.equal(['b2']);
    await end('b2');
    expect([begun.length, limit.isFull('a'), limit.isFull('b')]).to.deep.equal([4, true, false]);
    await end('a1');
    expect(begun.slice(4)).to.deep.equal(['a3']);
  });

  it('does not begin what is aborted before, and gives its place to the next', async () => {
    const { begun, enter, enterAll, end } = works(1);
    const leaving = new AbortController();
    enterAll('a1');
    const left = enter('a2', { signal: leaving.signal });
    enterAll('a3');
    leaving.abort(new Error('left'));
    expect(await left.catch(String)).to.equal('Error: left');
    await end('a1');
    expect(begun).to.deep.equal(['a1', 'a3']);
    expect(await enter('a4', { signal: leaving.signal }).catch(String)).to.equal('Error: left');
  });

  it('forgets the signal of what has begun', async () => {
    const { begun, enter, enterAll, end } = works(1);
    const leaving = new AbortController();
    enterAll('a1');
    const second = enter('a2', { signal: leaving.signal });
    await end('a1');
    leaving.abort();
    await end('a2');
    expect([await second, begun]).to.deep.equal(['a2', ['a1', 'a2']]);
  });

  it('gives the place on once, at the end of the work or before', async () => {
    const { limit, settled } = works(1);
    let finish = (): void => undefined;
    const work = limit.run(
      (end) => {
        end();
        return new Promise<void>((resolve) => (finish = resolve));
      },
      { caller: 'a', isUnderWay: false },
    );
    await settled();
    expect(limit.isFull('a')).to.equal(false);
    finish();
    await work;
    const failing = limit.run(() => Promise.reject(new Error('fails')), { caller: 'a', isUnderWay: false });
    expect(limit.isFull('a')).to.equal(true);
    expect(await failing.catch(String)).to.equal('Error: fails');
    expect(limit.isFull('a')).to.equal(false);
  });
});
