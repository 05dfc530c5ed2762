import { expect } from 'chai';
import { responseCache } from '../../../src/artifacts/representation/answers/response-cache.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { definitionsOf, userOf } from '../../support/definitions.js';
import { collectGarbage, isHeld } from '../../support/garbage.js';

describe('whether a cached response still holds', () => {
  const definitions = definitionsOf();
  const reader = { viewer: viewer(definitions, userOf(102)) };

  it('can be asked without holding the response in memory', async () => {
    const ask = responseCache<object>('kind', { readModels: { state: () => '' } as ReadModels, definitions });
    const made = async (question: string) => {
      const { stillHolds, facts } = await ask(question, reader, () =>
        Promise.resolve({ parts: [question.padEnd(40_000_000)], rest: null, facts: {} }),
      );
      return { stillHolds, facts: new WeakRef(facts) };
    };
    const first = await made('first');
    await collectGarbage();
    expect(first.facts.deref()).to.be.an('object');
    // These take its place.
    await made('second');
    await made('third');
    await collectGarbage();
    expect(first.facts.deref()).to.equal(undefined);
    expect(await first.stillHolds?.()).to.equal(true);
  });
});

describe('a cached response', () => {
  it('does not hold its reader in memory, who may have changed since', async () => {
    const definitions = definitionsOf();
    const ask = responseCache<number>('kind', { readModels: { state: () => '' } as ReadModels, definitions });
    let times = 0;
    const made = () => Promise.resolve({ parts: ['text'], rest: null, facts: (times += 1) });
    const asked = async () => {
      const user = userOf(102);
      await ask('question', { viewer: viewer(definitions, user) }, made);
      return new WeakRef(user);
    };
    expect(await isHeld(await asked())).to.equal(false);
    const { facts } = await ask('question', { viewer: viewer(definitions, userOf(102)) }, made);
    expect(facts).to.equal(2);
  });
});
