import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { responseCache } from '../../../src/artifacts/representation/answers/response-cache.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { Problem } from '../../../src/core/problem.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { type Begun } from '../../../src/http/send-json.js';
import { definitionsOf, userOf } from '../../support/definitions.js';

describe('cached responses', () => {
  const empty = definitionsOf();
  const reader = { viewer: viewer(empty, userOf(102)) };

  /** An answerer that numbers what it makes, and the state that it goes by. */
  function answering(given: Partial<Pick<ReadModels, 'refreshState'>> & { readonly knowsState?: boolean } = {}) {
    const { knowsState = true, ...refreshing } = given;
    const held = { state: 'first', generation: '0', escaped: 0 };
    const readModels = { ...refreshing, state: () => (knowsState ? held.state : undefined) } as ReadModels;
    const definitions = {
      ...empty,
      get generation() {
        return held.generation;
      },
    };
    const ask = responseCache<number>('kind', { readModels, definitions, texts: { escaped: () => held.escaped } });
    let made = 0;
    const make = (): Promise<Begun & { readonly facts: number }> =>
      Promise.resolve({ parts: ['text'], rest: null, facts: (made += 1) });
    const facts = async (question: string, by = reader, making = make): Promise<number> =>
      (await ask(question, by, making)).facts;
    const ofOtherKind = async (question: string): Promise<number> => {
      const answer = await responseCache<number>('other', { readModels, definitions })(question, reader, make);
      return answer.facts;
    };
    return { held, ask, facts, ofOtherKind, make };
  }

  it('are returned again while nothing changes', async () => {
    const { facts } = answering();
    expect([await facts('a'), await facts('a'), await facts('b'), await facts('a')]).to.deep.equal([1, 1, 2, 1]);
  });

  it('are made anew after a change of a document, of a definition, or of how texts are shown', async () => {
    const { facts, held } = answering();
    expect(await facts('a')).to.equal(1);
    held.state = 'second';
    expect(await facts('a')).to.equal(2);
    held.generation = '1';
    expect(await facts('a')).to.equal(3);
    held.escaped = 1;
    expect(await facts('a')).to.equal(4);
  });

  it('are kept up to a size, in which a text that several have in common counts once', async () => {
    const { facts, make } = answering();
    const [large, other] = ['x'.repeat(40_000_000), 'y'.repeat(40_000_000)];
    const of = (text: string) => async () => ({ ...(await make()), parts: ['[', text, ']'] });
    expect(await facts('a', reader, of(large))).to.equal(1);
    expect(await facts('b', reader, of(large))).to.equal(2);
    expect(await facts('a', reader, of(large))).to.equal(1);
    expect(await facts('c', reader, of(other))).to.equal(3);
    // Together they would be too large.
    expect(await facts('a', reader, of(large))).to.equal(4);
    expect(await facts('b', reader, of(large))).to.equal(5);
    expect(await facts('c', reader, of(other))).to.equal(6);
  });

  it('count what is held to tell whether they hold', async () => {
    const { facts, make } = answering();
    const holding = async () => ({
      ...(await make()),
      stillHolds: () => Promise.resolve(true),
      groundsSize: 40_000_000,
    });
    expect(await facts('a', reader, holding)).to.equal(1);
    expect(await facts('b', reader, holding)).to.equal(2);
    expect(await facts('a', reader, holding)).to.equal(3);
  });

  it('belong to one reader', async () => {
    const { facts } = answering();
    const others = [{ viewer: viewer(empty, userOf(103)) }, { viewer: viewer(empty, null) }];
    expect(await facts('a')).to.equal(1);
    for (const [index, other] of others.entries()) expect(await facts('a', other)).to.equal(index + 2);
    expect(await facts('a')).to.equal(1);
    // The same user, after a change that no other part of the answer tells of.
    expect(await facts('a', { viewer: viewer(empty, userOf(102)) })).to.equal(4);
  });

  it('are those of one kind of question', async () => {
    const { facts, ofOtherKind } = answering();
    expect([await facts('a'), await ofOtherKind('a'), await facts('a')]).to.deep.equal([1, 2, 1]);
    expect(await ofOtherKind('a')).to.equal(2);
  });

  it('are not kept when something changed while they were made', async () => {
    const { facts, held, make } = answering();
    const meanwhile = () => {
      held.state = 'second';
      return make();
    };
    expect(await facts('a', reader, meanwhile)).to.equal(1);
    held.state = 'first';
    expect(await facts('a')).to.equal(2);
  });

  it('are returned again after a change of something else, for as long as they hold', async () => {
    const { facts, held, make } = answering();
    let holds = true;
    const lasting = async () => ({ ...(await make()), stillHolds: () => Promise.resolve(holds) });
    expect(await facts('a', reader, lasting)).to.equal(1);
    held.state = 'second';
    expect(await facts('a', reader, lasting)).to.equal(1);
    holds = false;
    // Nothing has changed since it was found to hold.
    expect(await facts('a', reader, lasting)).to.equal(1);
    held.state = 'third';
    expect(await facts('a', reader, lasting)).to.equal(2);
  });

  it('are not kept when something changed while they were made, even if they can tell whether they hold', async () => {
    const { facts, held, make } = answering();
    const lasting = async () => {
      held.state = `${held.state} later`;
      return { ...(await make()), stillHolds: () => Promise.resolve(true) };
    };
    expect([await facts('a', reader, lasting), await facts('a', reader, lasting)]).to.deep.equal([1, 2]);
  });

  it('that no longer hold are not asked again', async () => {
    const { ask, held, make } = answering();
    let times = 0;
    const stillHolds = (): Promise<boolean> => Promise.resolve((times += 1) > 1);
    const answer = await ask('a', reader, async () => ({ ...(await make()), stillHolds }));
    held.state = 'second';
    expect([await answer.stillHolds?.(), await answer.stillHolds?.()]).to.deep.equal([false, false]);
    expect(times).to.equal(1);
  });

  it('are made once for all who ask while nothing changes', async () => {
    const { facts, held, make } = answering();
    const slowly = async () => {
      await turn();
      return make();
    };
    const first = [facts('a', reader, slowly), facts('a', reader, slowly)];
    held.state = 'second';
    const second = [facts('a', reader, slowly), facts('a', reader, slowly)];
    expect(await Promise.all([...first, ...second])).to.deep.equal([1, 1, 2, 2]);
  });

  it('are made for others while an answer that nobody joins any more is still made', async () => {
    const { facts, held, make } = answering();
    const [ends, slowly] = [[] as (() => void)[], () => new Promise<void>((resolve) => ends.push(resolve)).then(make)];
    const first = facts('a', reader, slowly);
    await turn();
    held.state = 'second';
    const second = facts('a', reader, slowly);
    await turn();
    ends[0]?.();
    expect(await first).to.equal(1);
    const third = facts('a', reader, make);
    await turn();
    ends[1]?.();
    expect(await Promise.all([second, third])).to.deep.equal([2, 2]);
  });

  it('are not made for another reader at the same time, nor given twice if they are only begun', async () => {
    const { facts, make } = answering();
    const slowly = async () => {
      await turn();
      return make();
    };
    const changed = { viewer: viewer(empty, userOf(102)) };
    expect(await Promise.all([facts('a', reader, slowly), facts('a', changed, slowly)])).to.deep.equal([1, 2]);
    const begun = async () => ({ ...(await slowly()), rest: { next: () => Promise.reject(new Error('not asked')) } });
    expect(await Promise.all([facts('b', reader, begun), facts('b', reader, begun)])).to.deep.equal([3, 4]);
  });

  /** The state is that of the last time it was asked for. */
  function answeringByRefreshes() {
    const real = { state: 'first', refreshes: 0 };
    const { held, ...others } = answering({
      refreshState: async () => {
        real.refreshes += 1;
        await turn();
        held.state = real.state;
      },
    });
    return { ...others, held, real };
  }

  it('are returned again only as of the latest state, which is asked for where there is something to return', async () => {
    const { facts, real } = answeringByRefreshes();
    expect(await facts('a')).to.equal(1);
    expect(real.refreshes).to.equal(0);
    expect(await facts('a')).to.equal(1);
    expect(real.refreshes).to.equal(1);
    real.state = 'second';
    expect(await facts('a')).to.equal(2);
    expect(await facts('b')).to.equal(3);
    real.state = 'third';
    expect([await facts('b'), await facts('a')]).to.deep.equal([4, 5]);
  });

  it('are asked whether they hold only as of the latest state', async () => {
    const { facts, held, make, real } = answeringByRefreshes();
    // The document that the answer shows, as of the last time that the state was asked for.
    const lasting = async () => {
      const shown = held.state.length;
      return { ...(await make()), stillHolds: () => Promise.resolve(held.state.length === shown) };
    };
    expect(await facts('a', reader, lasting)).to.equal(1);
    // Another document has changed, as is known, and then this one, as is not.
    held.state = 'other';
    real.state = 'other, and this';
    expect(await facts('a', reader, lasting)).to.equal(2);
  });

  it('are neither returned nor kept where the definitions change while the state is asked for', async () => {
    const { facts, held, make, real } = answeringByRefreshes();
    const lasting = async () => ({ ...(await make()), stillHolds: () => Promise.resolve(true) });
    expect(await facts('lasting', reader, lasting)).to.equal(1);
    expect(await facts('a')).to.equal(2);
    const asking = [facts('lasting'), facts('a')];
    held.generation = '1';
    real.state = 'second';
    // What it chose by the older definitions may be wrong by now.
    expect(await Promise.all(asking)).to.deep.equal([3, 4]);
    expect(await facts('a')).to.equal(5);
    expect(await facts('a')).to.equal(5);
  });

  it('are not waited for by those who ask after a change', async () => {
    const { facts, real, make } = answeringByRefreshes();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slowly = async () => {
      const answer = await make();
      await released;
      return answer;
    };
    const first = [facts('a', reader, slowly), facts('a', reader, make)];
    await turn();
    real.state = 'second';
    const second = facts('a', reader, make);
    expect(await second).to.equal(2);
    release();
    expect(await Promise.all(first)).to.deep.equal([1, 1]);
  });

  const failing = (error: Error) => async (): Promise<never> => {
    await turn();
    throw error;
  };

  it('are made once more for those who wait where the client of the first one has left', async () => {
    const { facts } = answering();
    const all = [facts('a', reader, failing(new ClientLeft())), facts('a'), facts('a')];
    const [first, ...others] = await Promise.allSettled(all);
    expect(first?.status).to.equal('rejected');
    expect(others).to.deep.equal([1, 1].map((value) => ({ status: 'fulfilled', value })));
  });

  it('fail together: nobody waits twice as long', async () => {
    const { facts, make } = answering();
    const refused = new Problem('unavailable', 'no answer from the server');
    const both = await Promise.allSettled([facts('a', reader, failing(refused)), facts('a', reader, make)]);
    expect(both).to.deep.equal([refused, refused].map((reason) => ({ status: 'rejected', reason })));
    expect(await facts('a')).to.equal(1);
  });

  it('are not kept when they are only begun', async () => {
    const { facts, make } = answering();
    const begun = async () => ({ ...(await make()), rest: { next: () => Promise.reject(new Error('not asked')) } });
    expect([await facts('a', reader, begun), await facts('a', reader, begun)]).to.deep.equal([1, 2]);
  });

  it('count the length of their keys towards the size of the cache', async () => {
    const { facts } = answering();
    const long = 'x'.repeat(4_000_000);
    for (let n = 1; n <= 20; n += 1) expect(await facts(`${n} ${long}`)).to.equal(n);
    expect(await facts(`1 ${long}`)).to.equal(21);
    expect(await facts(`20 ${long}`)).to.equal(20);
  });

  it('are not kept if the read models have no state', async () => {
    const { facts } = answering({ knowsState: false });
    expect([await facts('a'), await facts('a')]).to.deep.equal([1, 2]);
  });
});
