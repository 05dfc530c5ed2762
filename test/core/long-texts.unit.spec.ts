import { expect } from 'chai';
import {
  answerBegins,
  answersIn,
  makeLongText,
  MOST_WAITING_ANSWERS,
  noteHeld,
} from '../../src/core/logs/long-texts.js';
import { Problem } from '../../src/core/problem.js';

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** In characters: more than the process holds while it makes another one. */
const TOO_MUCH = MOST_WAITING_ANSWERS * 524_288;

describe('long texts', () => {
  it('are made one at a time', async () => {
    const ends: (() => void)[] = [];
    const make = () => new Promise<void>((end) => ends.push(end));
    const [first, second] = [makeLongText(make), makeLongText(make)];
    await turns();
    expect(ends).to.have.lengthOf(1);
    ends[0]?.();
    await first;
    await turns();
    expect(ends).to.have.lengthOf(2);
    ends[1]?.();
    await second;
  });

  it('wait while those that are made and not taken leave no room, and then all answers count twice', async () => {
    const [long, short] = [{}, {}];
    noteHeld(long, TOO_MUCH);
    expect([answersIn(long), answersIn(short)]).to.deep.equal([MOST_WAITING_ANSWERS, 1]);
    let isMade = false;
    const made = makeLongText(() => Promise.resolve((isMade = true)));
    await turns();
    expect(isMade).to.equal(false);
    expect([answersIn(long), answersIn(short)]).to.deep.equal([2 * MOST_WAITING_ANSWERS, 2]);
    noteHeld(long, 0);
    await made;
    expect([isMade, answersIn(long)]).to.deep.equal([true, 1]);
  });

  it('are not made for a reader who has left, and leave the turn to others', async () => {
    const long = {};
    noteHeld(long, TOO_MUCH);
    const leaving = new AbortController();
    const left = new Error('left');
    const made = makeLongText(() => Promise.resolve('made'), leaving.signal).catch((error: unknown) => error);
    await turns();
    leaving.abort(left);
    expect(await made).to.equal(left);
    noteHeld(long, 0);
    expect(await makeLongText(() => Promise.resolve('next'))).to.equal('next');
  });

  it('are refused where many wait already, but for an answer that has begun', async () => {
    const ends: (() => void)[] = [];
    const make = () => new Promise<void>((end) => ends.push(end));
    const { signal } = new AbortController();
    answerBegins(signal);
    const waiting = Array.from({ length: 17 }, () => makeLongText(make));
    const refused = await makeLongText(make).catch((error: unknown) => error);
    expect(await makeLongText(() => Promise.resolve('rest'), signal)).to.equal('rest');
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    for (let made = 0; made < waiting.length; made += 1) {
      while (ends.length <= made) await turns();
      ends[made]?.();
    }
    await Promise.all(waiting);
  });
});
