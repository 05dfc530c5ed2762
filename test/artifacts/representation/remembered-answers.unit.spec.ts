import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { rememberedAnswers, type Grounds } from '../../../src/artifacts/representation/answers/remembered-answers.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Parts } from '../../../src/http/send-json.js';
import { definitionsOf, userOf } from '../../support/definitions.js';

/** Room for three texts. */
const MOST = 150_000;
const LENGTH = 40_000;

describe('remembered answers', () => {
  const reader = new WeakRef(viewer(definitionsOf(), userOf(102)));
  const lasting = () => Promise.resolve(true);

  const partsOf = (name: string, length: number): Parts => ['["é💡\\u0000', name.padEnd(length, `${name}, `), '"]'];

  function answers() {
    const known = rememberedAnswers(MOST);
    const remember = (name: string, grounds: Partial<Grounds> = {}, length = LENGTH): void => {
      const all = { stillHolds: undefined, size: 0, state: 'first', ...grounds };
      known.set(name, { facts: `facts of ${name}`, viewer: reader, grounds: all, parts: partsOf(name, length) });
    };
    /** Of `a`, before which no others have room. */
    const withOthers = (grounds: Partial<Grounds> = {}, later: Partial<Grounds> = {}, length = LENGTH): void => {
      remember('a', grounds, length);
      for (const name of ['b', 'c', 'd']) remember(name, later, LENGTH);
    };
    /** What is compressed is ready a while later. */
    const isKnown = async (name: string): Promise<boolean> => {
      for (let left = 50; left > 0 && known.get(name) === undefined; left -= 1) await pause(10);
      return known.get(name) !== undefined;
    };
    const textOf = (name: string): string | undefined => {
      const answer = known.get(name);
      return answer && known.partsOf(name, answer).join('');
    };
    return { known, remember, withOthers, isKnown, textOf };
  }

  it('that have no room among the latest are kept compressed, each as it was', async () => {
    const { known, withOthers, isKnown, textOf } = answers();
    const grounds = { stillHolds: lasting, size: 7, state: 'first' };
    withOthers(grounds);
    expect(known.get('a')).to.equal(undefined);
    expect(await isKnown('a')).to.equal(true);
    const { facts, viewer: viewedBy, grounds: kept } = known.get('a') ?? {};
    expect([facts, viewedBy, kept]).to.deep.equal(['facts of a', reader, grounds]);
    expect(textOf('a')).to.equal(partsOf('a', LENGTH).join(''));
  });

  it('stay compressed while they are among the latest again', async () => {
    const { known, remember, withOthers, isKnown, textOf } = answers();
    withOthers();
    await isKnown('a');
    textOf('a');
    expect(known.get('a')).to.have.property('parts');
    for (const name of ['e', 'f', 'g']) remember(name);
    expect(known.get('a')).to.have.property('packed');
  });

  it('are not kept compressed where they cannot be given again', async () => {
    const { withOthers, isKnown } = answers();
    withOthers({ state: 'first' }, { state: 'second' });
    expect(await isKnown('a')).to.equal(false);
  });

  it('are kept compressed after a change where they can tell whether they hold', async () => {
    const { withOthers, isKnown } = answers();
    withOthers({ state: 'first', stillHolds: lasting }, { state: 'second' });
    expect(await isKnown('a')).to.equal(true);
  });

  it('are not kept compressed where that gains little, or would take long', async () => {
    const long = answers();
    long.withOthers({}, {}, 1_100_000);
    expect(await long.isKnown('a')).to.equal(false);
    const short = answers();
    for (const name of 'abcdefghij') short.remember(name, {}, 20_000);
    expect(await short.isKnown('a')).to.equal(false);
  });

  it('are those that were made last', async () => {
    const { remember, withOthers, isKnown, known, textOf } = answers();
    withOthers();
    await isKnown('a');
    remember('a', { state: 'second' }, 50_000);
    expect(textOf('a')).to.equal(partsOf('a', 50_000).join(''));
    expect(known.get('a')?.grounds.state).to.equal('second');
  });
});
