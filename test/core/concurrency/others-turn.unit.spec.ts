import { expect } from 'chai';
import {
  connectionComes,
  inPieces,
  inTurns,
  inTurn,
  othersTurn,
  type Steps,
} from '../../../src/core/concurrency/others-turn.js';
import { busy } from '../../support/busy.js';
import { turns } from '../../support/turns.js';

describe('long works on one thread', () => {
  /** Works of five slices, each as long as the first argument says, in milliseconds: whose slices ran in which turn. */
  const slicesOf = async (ms: number, works: readonly number[]) => {
    const loop = turns();
    const slices: { readonly work: number; readonly turn: number }[] = [];
    const work = async (number: number): Promise<void> => {
      for (let slice = 0; slice < 5; slice += 1) {
        await othersTurn();
        slices.push({ work: number, turn: loop.count() });
        busy(ms);
      }
    };
    await Promise.all(works.map(work));
    loop.stop();
    return slices;
  };
  const turnsIn = (slices: Awaited<ReturnType<typeof slicesOf>>): number =>
    new Set(slices.map(({ turn }) => turn)).size;
  const IN_ORDER = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3];

  it('go on in the order of their calls, one long slice in each turn of the event loop', async () => {
    const slices = await slicesOf(5, [1, 2, 3]);
    expect(slices.map(({ work }) => work)).to.deep.equal(IN_ORDER);
    expect(turnsIn(slices)).to.equal(slices.length);
  });

  it('go on in the same turn while their slices are short, each with one', async () => {
    const slices = await slicesOf(0, [1, 2, 3]);
    expect(slices.map(({ work }) => work)).to.deep.equal(IN_ORDER);
    // A pause of the machine may end a turn.
    expect(turnsIn(slices)).to.be.within(5, 10);
  });

  it('go on some at a time in one turn, however many wait', async () => {
    const slices = await slicesOf(
      0,
      Array.from({ length: 300 }, (_, nth) => nth),
    );
    const counts = new Map<number, number>();
    for (const { turn } of slices) counts.set(turn, (counts.get(turn) ?? 0) + 1);
    expect(Math.max(...counts.values())).to.be.at.most(64);
  });

  it('let all else go first that has come meanwhile, each of them', async () => {
    const order: string[] = [];
    const all = ['one', 'two', 'three'].map(async (name) => {
      await othersTurn();
      order.push(name);
      busy(5);
      setImmediate(() => order.push(`beside ${name}`));
    });
    await Promise.all(all);
    expect(order).to.deep.equal(['one', 'beside one', 'two', 'beside two', 'three']);
  });

  it('take no time that is left of the turn before', async () => {
    const loop = turns();
    const taken: { readonly name: string; readonly turn: number }[] = [];
    const slice = async (name: string, ms: number): Promise<void> => {
      await othersTurn();
      taken.push({ name, turn: loop.count() });
      busy(ms);
    };
    const all: Promise<void>[] = [];
    await new Promise<void>((resolve) => {
      // It comes after the beginning of the turn, and ahead of the first one that goes on in it.
      setImmediate(() => all.push(slice('late', 30)));
      all.push(slice('short', 0).then(() => slice('long', 30)));
      setImmediate(resolve);
    });
    await Promise.all(all);
    loop.stop();
    const [late, long] = ['late', 'long'].map((name) => taken.find((one) => one.name === name)?.turn);
    expect(late).not.to.equal(long);
  });

  it('continue if a new one arrives while none waits', async () => {
    await othersTurn();
    await othersTurn();
  });
});

describe('works that begin', () => {
  const begunIn = async (ms: number): Promise<readonly number[]> => {
    const loop = turns();
    const works = [1, 2, 3, 4].map((number) =>
      inTurn(() => {
        busy(ms);
        return Promise.resolve(number);
      }).then((done) => [done, loop.count()] as const),
    );
    const done = await Promise.all(works);
    loop.stop();
    expect(done.map(([number]) => number)).to.deep.equal([1, 2, 3, 4]);
    return done.map(([, turn]) => turn);
  };

  it('do so at once while they are short', async () => {
    // A pause of the machine makes one of them long.
    let begun: readonly number[] = [];
    for (let tries = 20; tries > 0 && begun.join() !== '0,0,0,0'; tries -= 1) {
      await othersTurn();
      begun = await begunIn(0);
    }
    expect(begun).to.deep.equal([0, 0, 0, 0]);
  });

  it('do so one in each turn of the event loop if they are long', async () => {
    await othersTurn();
    expect(new Set(await begunIn(5))).to.have.property('size', 4);
  });

  it('do so after those that wait already, also in a new turn', async () => {
    const order: number[] = [];
    const begin = (number: number) =>
      inTurn(() => {
        order.push(number);
        busy(5);
        return Promise.resolve();
      });
    await othersTurn();
    const first = [1, 2, 3].map(begin);
    // The second one has begun by then, and the third one waits.
    await new Promise(setImmediate);
    await Promise.all([...first, begin(4)]);
    expect(order).to.deep.equal([1, 2, 3, 4]);
  });

  it('do not take the time of a slice of long work', async () => {
    const order: string[] = [];
    const slice = othersTurn().then(() => order.push('slice'));
    const long = [1, 2, 3].map((number) =>
      inTurn(() => {
        order.push(`begin ${number}`);
        busy(5);
        return Promise.resolve();
      }),
    );
    await Promise.all([slice, ...long]);
    expect(order).to.deep.equal(['begin 1', 'begin 2', 'slice', 'begin 3']);
  });
});

describe('works of several callers', () => {
  it('begin in rotation, those of one in the order of their calls', async () => {
    const order: string[] = [];
    const begin = (caller: string, name: string) =>
      inTurn(() => {
        order.push(name);
        busy(5);
        return Promise.resolve();
      }, caller);
    await othersTurn();
    await Promise.all([
      begin('', 'at once'),
      ...[1, 2, 3].map((nth) => begin('many', `many ${nth}`)),
      begin('other', 'other 1'),
      begin('other', 'other 2'),
      begin('last', 'last'),
    ]);
    expect(order).to.deep.equal(['at once', 'many 1', 'other 1', 'last', 'many 2', 'other 2', 'many 3']);
  });
});

describe('works beside new connections', () => {
  /** How many connections came before it went on. */
  const beside = async (connections: number, work: () => Promise<unknown>): Promise<number> => {
    let [came, isOver] = [0, false];
    const come = (): void => {
      if (isOver) return;
      connectionComes();
      came += 1;
      if (came < connections) setImmediate(come);
    };
    await othersTurn();
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        come();
        resolve(work().then(() => undefined));
      });
    });
    isOver = true;
    return came;
  };
  /** A pause of the machine may be as long as nobody goes on. */
  const mostBeside = async (connections: number, work: () => Promise<unknown>): Promise<number> => {
    let most = 0;
    for (let tries = 20; tries > 0; tries -= 1) most = Math.max(most, await beside(connections, work));
    return most;
  };
  const begin = () => inTurn(() => Promise.resolve());

  it('neither begin nor go on in turns in which one comes', async () => {
    expect(await mostBeside(3, begin)).to.equal(3);
    expect(await mostBeside(3, othersTurn)).to.equal(3);
  });

  it('neither begin nor go on in those of one that comes some turns after another', async () => {
    let most = 0;
    for (let tries = 5; tries > 0; tries -= 1) {
      connectionComes();
      for (let left = 3; left > 0; left -= 1) await new Promise(setImmediate);
      busy(9);
      most = Math.max(most, await beside(3, begin));
    }
    expect(most).to.equal(3);
  });

  it('leave connections their time again and again', async () => {
    const connectionsBetweenSlices = async (): Promise<readonly number[]> => {
      const turnsOfSlices: number[] = [];
      const loop = turns();
      await beside(1_000_000, async () => {
        for (let left = 10; left > 0; left -= 1) {
          await othersTurn();
          turnsOfSlices.push(loop.count());
          busy(5);
        }
      });
      loop.stop();
      return turnsOfSlices.slice(1).map((turn, nth) => turn - (turnsOfSlices[nth] ?? 0));
    };
    const MANY = 5;
    let times = 0;
    for (let tries = 20; tries > 0 && times < 2; tries -= 1) {
      times = (await connectionsBetweenSlices()).filter((count) => count > MANY).length;
    }
    expect(times).to.be.at.least(2);
  });

  it('have their turns all the same, however many come', async () => {
    const MANY = 1_000_000;
    expect(await beside(MANY, begin)).to.be.below(MANY);
    expect(await beside(MANY, othersTurn)).to.be.below(MANY);
  });

  it('have as much time as these', async () => {
    const SLICES = 500;
    const slices = async (): Promise<void> => {
      for (let left = SLICES; left > 0; left -= 1) await othersTurn();
    };
    // A pause of the machine may take the time of the slices.
    let least = Infinity;
    for (let tries = 20; tries > 0 && least > 20 * SLICES; tries -= 1) {
      least = Math.min(least, await beside(1_000_000, slices));
    }
    expect(least).to.be.below(20 * SLICES);
  });
});

describe('long work in steps', () => {
  function* steps(count: number): Steps<number> {
    for (let step = 0; step < count; step += 1) yield;
    if (count === 0) throw new RangeError('nothing to do');
    return count;
  }

  it('lets other work run between its steps, and returns its result', async () => {
    const loop = turns();
    expect(await inPieces(steps(20_000))).to.equal(20_000);
    loop.stop();
    expect(loop.count()).to.be.within(5, 20);
  });

  it('does not yield if it is short', async () => {
    const loop = turns();
    expect(await inPieces(steps(100))).to.equal(100);
    loop.stop();
    expect(loop.count()).to.equal(0);
  });

  it('lets other work run once its steps have taken some milliseconds', async () => {
    function* longSteps(): Steps<string> {
      for (let step = 0; step < 10; step += 1) {
        busy(5);
        yield;
      }
      return 'done';
    }
    const loop = turns();
    expect(await inTurns(longSteps())).to.equal('done');
    loop.stop();
    expect(loop.count()).to.be.within(3, 12);
  });

  it('ends with its signal', async () => {
    const gone = new AbortController();
    const reason = new Error('the client has left');
    let taken = 0;
    function* longSteps(): Steps<void> {
      for (; taken < 10; taken += 1) {
        gone.abort(reason);
        busy(5);
        yield;
      }
    }
    expect(await inTurns(longSteps(), gone.signal).catch((error: unknown) => error)).to.equal(reason);
    expect(taken).to.equal(0);
  });

  it('takes short steps in few turns', async () => {
    const loop = turns();
    expect(await inTurns(steps(100))).to.equal(100);
    loop.stop();
    expect(loop.count()).to.be.lessThan(3);
  });

  it('fails with the error of a step', async () => {
    expect(await inPieces(steps(0)).catch((error: unknown) => error)).to.be.instanceOf(RangeError);
  });
});
