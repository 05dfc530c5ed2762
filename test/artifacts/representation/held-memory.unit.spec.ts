import { expect } from 'chai';
import { responseCache } from '../../../src/artifacts/representation/response-cache.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { definitionsOf, userOf } from '../../support/definitions.js';
import { collectGarbage } from '../../support/garbage.js';

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
