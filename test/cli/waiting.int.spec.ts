import { expect } from 'chai';
import { bounded, type Outlook, type WaitingTiming } from '../../src/cli/waiting.js';

const TIMING: WaitingTiming = { lookEvery: 5, firstWord: 20, wordEvery: 40, giveUp: 600 };
const NEVER = new Promise<string>(() => undefined);

describe('the waiting of a command', () => {
  let said: string[];
  beforeEach(() => {
    said = [];
  });

  const waiting = (look: () => Outlook | Promise<Outlook>, work = NEVER): Promise<string> =>
    bounded(work, { until: 'it is done', look, say: (line) => said.push(line) }, TIMING).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );

  it('ends with the work, and is not heard of if that is quick', async () => {
    expect(await waiting(() => ({ words: '', signs: [] }), Promise.resolve('done'))).to.equal('done');
    expect(said).to.deep.equal([]);
  });

  it('ends once nothing moves, with what is missing', async () => {
    const refusal = await waiting(() => ({ words: 'users: behind', signs: ['users at 1'] }));
    expect(refusal).to.equal('No progress for 0.6 s while waiting until it is done: users: behind');
    expect(said[0]).to.equal('Waiting until it is done: users: behind');
  });

  it('is heard of once a command that shows how far it is does not get any further', async () => {
    await waiting(() => ({ words: 'users: behind', signs: ['users at 1'], isShown: true }));
    expect(said[0]).to.equal('Waiting until it is done: users: behind');
  });

  it('is not heard of at first', async () => {
    const timing = { ...TIMING, firstWord: 60_000, wordEvery: 120_000 };
    const say = (line: string) => said.push(line);
    const given = { until: 'it is done', look: () => ({ words: '', signs: ['users at 1'] }), say };
    await bounded(NEVER, given, timing).catch(() => undefined);
    expect(said).to.deep.equal([]);
  });

  it('ends once one part does not move, however fast others do', async () => {
    let n = 0;
    const refusal = await waiting(() => ({ words: '', signs: ['users at 1', `files at ${(n += 1)}`] }));
    expect(refusal).to.equal('No progress for 0.6 s while waiting until it is done');
  });

  it('ends though what is waited for cannot be looked at', async () => {
    expect(await waiting(() => Promise.reject(new Error('away')))).to.match(/^No progress for/);
    expect(await waiting(() => new Promise<Outlook>(() => undefined))).to.match(/^No progress for/);
  });

  it('goes on while something moves, and leaves the word to a command that shows how far it is', async () => {
    let n = 0;
    let finish: (result: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const look = (): Outlook => {
      n += 1;
      if (n * TIMING.lookEvery > 3 * TIMING.giveUp) finish('done');
      return { words: '', signs: [`event ${n}`], isShown: true };
    };
    const time = performance.now.bind(performance);
    // Between two looks no more time passes, however busy the machine is.
    performance.now = () => n * TIMING.lookEvery;
    try {
      expect(await waiting(look, work)).to.equal('done');
    } finally {
      performance.now = time;
    }
    expect(said).to.deep.equal([]);
  });
});
