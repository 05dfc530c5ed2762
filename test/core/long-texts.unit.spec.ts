import { expect } from 'chai';
import { cacheSize } from '../../src/core/bounds.js';
import {
  answerBegins,
  answersIn,
  isRoomWanted,
  makeLongText,
  noteAsker,
  MOST_WAITING_ANSWERS,
  noteHeld,
} from '../../src/core/logs/long-texts.js';
import { Problem } from '../../src/core/problem.js';

/** The signal of a request of this caller. */
function requestOf(caller: string): AbortSignal {
  const { signal } = new AbortController();
  noteAsker(signal, { caller, uncounted: (wait) => wait() });
  return signal;
}

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

  it('wait while those that are made and not taken leave no room', async () => {
    const answers = [{}, {}, {}];
    for (const each of answers) noteHeld(each, TOO_MUCH);
    expect([isRoomWanted(), answersIn({})]).to.deep.equal([false, 1]);
    expect(answersIn(answers[0]!)).to.be.within(2, MOST_WAITING_ANSWERS / 2);
    let isMade = false;
    const made = makeLongText(() => Promise.resolve((isMade = true)));
    await turns();
    expect([isMade, isRoomWanted()]).to.deep.equal([false, true]);
    noteHeld(answers[0]!, 0);
    await made;
    expect([isMade, isRoomWanted(), answersIn(answers[0]!)]).to.deep.equal([true, false, 1]);
    for (const each of answers) noteHeld(each, 0);
  });

  it('do not wait for the longest of all alone', async () => {
    const long = {};
    noteHeld(long, 10 * TOO_MUCH);
    expect(await makeLongText(() => Promise.resolve('made'))).to.equal('made');
    noteHeld(long, 0);
  });

  it('are not made for a reader who has left, and leave the turn to others', async () => {
    const answers = [{}, {}, {}];
    for (const each of answers) noteHeld(each, TOO_MUCH);
    const leaving = new AbortController();
    const left = new Error('left');
    const made = makeLongText(() => Promise.resolve('made'), leaving.signal).catch((error: unknown) => error);
    await turns();
    leaving.abort(left);
    await turns();
    expect(isRoomWanted()).to.equal(false);
    expect(await made).to.equal(left);
    for (const each of answers) noteHeld(each, 0);
    expect(await makeLongText(() => Promise.resolve('next'))).to.equal('next');
  });

  it('are waited for by no reader who has left', async () => {
    for (const hasBegun of [false, true]) {
      const [one, other] = [new AbortController(), new AbortController()];
      if (hasBegun) for (const { signal } of [one, other]) answerBegins(signal);
      let end = (): void => undefined;
      const first = makeLongText(() => new Promise<void>((made) => (end = made)), one.signal);
      const second = makeLongText(() => Promise.resolve('made'), other.signal).catch((error: unknown) => error);
      await turns();
      const left = new Error('left');
      other.abort(left);
      expect(await Promise.race([second, turns().then(turns)])).to.equal(left);
      end();
      await first;
    }
  });

  it('count as several answers as soon as they hold more than one does', () => {
    const answer = {};
    noteHeld(answer, 524_289);
    expect(answersIn(answer)).to.equal(2);
    noteHeld(answer, 0);
  });

  it('have their turn by caller, in rotation', async () => {
    const made: string[] = [];
    const make = (name: string) => {
      const work = (): Promise<void> => {
        made.push(name);
        return turns();
      };
      return makeLongText(work, requestOf(name.charAt(0)), { isAlone: true });
    };
    await Promise.all(['a1', 'a2', 'a3', 'b1'].map(make));
    expect(made).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
  });

  it('of answers that have begun do not count for their caller while they wait and hold nothing', async () => {
    const ends: (() => void)[] = [];
    const [first, second] = [new AbortController(), new AbortController()];
    let counted = 2;
    for (const { signal } of [first, second]) {
      answerBegins(signal);
      const uncounted = async <T>(wait: () => Promise<T>): Promise<T> => {
        counted -= 1;
        const result = await wait();
        counted += 1;
        return result;
      };
      noteAsker(signal, { caller: 'a', uncounted });
    }
    const make = () => new Promise<void>((end) => ends.push(end));
    const made = [first, second].map(({ signal }) => makeLongText(make, signal, { holdsNothing: true }));
    await turns();
    expect([counted, ends.length]).to.deep.equal([1, 1]);
    ends[0]?.();
    while (ends.length < 2) await turns();
    expect(counted).to.equal(2);
    ends[1]?.();
    await Promise.all(made);
  });

  it('are refused where many of the caller wait already, but alone, or for an answer that has begun', async () => {
    const ends: (() => void)[] = [];
    const make = () => new Promise<void>((end) => ends.push(end));
    const { signal } = new AbortController();
    answerBegins(signal);
    const share = Math.floor((Math.max(2, cacheSize(16)) + 1) / 2);
    const waiting = Array.from({ length: share }, () => makeLongText(make, requestOf('a')));
    const refused = await makeLongText(make, requestOf('a')).catch((error: unknown) => error);
    waiting.push(makeLongText(make, requestOf('b')));
    expect(await makeLongText(() => Promise.resolve('rest'), signal)).to.equal('rest');
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    waiting.push(...Array.from({ length: 100 }, () => makeLongText(make, requestOf('a'), { isAlone: true })));
    for (let made = 0; made < waiting.length; made += 1) {
      while (ends.length <= made) await turns();
      ends[made]?.();
    }
    await Promise.all(waiting);
  });
});
