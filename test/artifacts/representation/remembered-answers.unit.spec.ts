import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { rememberedAnswers, type Grounds } from '../../../src/artifacts/representation/answers/remembered-answers.js';
import { type Packed } from '../../../src/artifacts/representation/answers/packed-texts.js';
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

  function answers(most = MOST) {
    const known = rememberedAnswers(most);
    const remember = (name: string, grounds: Partial<Grounds> = {}, of: number | Parts = LENGTH): void => {
      const all = { stillHolds: undefined, size: 0, state: 'first', ...grounds };
      const parts = typeof of === 'number' ? partsOf(name, of) : of;
      known.set(name, { facts: `facts of ${name}`, viewer: reader, grounds: all, parts });
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
    const answer = known.get('a');
    const { facts, viewer: viewedBy, grounds: kept } = answer ?? {};
    expect([facts, viewedBy, kept]).to.deep.equal(['facts of a', reader, grounds]);
    const { bytes } = (answer as { readonly packed: Packed }).packed;
    expect(bytes.buffer.byteLength).to.equal(bytes.byteLength);
    expect(textOf('a')).to.equal(partsOf('a', LENGTH).join(''));
  });

  it('stay compressed while they are among the latest again', async () => {
    const { known, remember, withOthers, isKnown, textOf } = answers();
    withOthers();
    await isKnown('a');
    const before = known.get('a') as { readonly packed: Packed };
    textOf('a');
    expect(known.get('a')).to.have.property('parts');
    for (const name of ['e', 'f', 'g', 'h']) remember(name);
    await isKnown('e');
    expect(known.get('a')).to.have.property('packed', before.packed);
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
    for (const name of ['e', 'f', 'g']) remember(name, { state: 'second' });
    for (let left = 50; left > 0 && known.get('a')?.grounds.state === 'first'; left -= 1) await pause(10);
    expect(textOf('a')).to.equal(partsOf('a', 50_000).join(''));
  });

  it('are not kept compressed in place of those that were made later', async () => {
    const { remember, isKnown, known } = answers();
    remember('a');
    remember('a', {}, 1000);
    for (const name of ['b', 'c', 'd', 'e']) remember(name);
    await isKnown('b');
    expect(known.get('a')).to.equal(undefined);
  });

  it('are compressed four at once, while further ones are forgotten', async () => {
    const { remember, isKnown, known } = answers(15 * LENGTH);
    for (const round of [1, 2]) {
      const names = [1, 2, 3, 4, 5, 6].map((nth) => `${round}, ${nth}`);
      for (const name of names) remember(name);
      remember('large', {}, 14.5 * LENGTH);
      for (const name of names.slice(0, 4)) expect(await isKnown(name)).to.equal(true);
      expect(names.slice(4).map((name) => known.get(name))).to.deep.equal([undefined, undefined]);
    }
  });

  const MIB = 1024 * 1024;

  it('are kept compressed up to a size, with what is held to tell whether they hold', async () => {
    const { remember, isKnown, known } = answers(20 * MIB);
    for (const name of ['a', 'b', 'c', 'd', 'e']) remember(name, { size: 6 * MIB });
    expect([await isKnown('a'), await isKnown('b')]).to.deep.equal([true, true]);
    remember('f', { size: 6 * MIB });
    expect(await isKnown('c')).to.equal(true);
    expect(known.get('a')).to.equal(undefined);
    expect(known.get('b')).not.to.equal(undefined);
  });

  it('count their short texts, and what each of them takes', () => {
    const { remember, known } = answers();
    remember(
      'a',
      {},
      Array.from({ length: 1000 }, () => 'x'.repeat(100)),
    );
    remember(
      'b',
      {},
      Array.from({ length: 1000 }, () => 'x'.repeat(100)),
    );
    expect([known.get('a') === undefined, known.get('b') === undefined]).to.deep.equal([true, false]);
    for (let nth = 0; nth < 400; nth += 1) remember(`short ${nth}`, {}, ['x']);
    expect([known.get('short 0') === undefined, known.get('short 399') === undefined]).to.deep.equal([true, false]);
  });

  it('leave room for others where one alone has none', () => {
    const { remember, known } = answers();
    for (const name of ['a', 'b', 'c', 'd']) remember(name, { size: 2 * MOST });
    for (const name of ['e', 'f', 'g']) remember(name);
    expect(['a', 'd', 'e', 'g'].map((name) => known.get(name) !== undefined)).to.deep.equal([false, false, true, true]);
  });
});
