import { expect } from 'chai';
import { type Mark } from '../../src/core/marks.js';
import { Problem } from '../../src/core/problem.js';
import { currentDefinitions } from '../../src/definitions/current-definitions.js';

const mark: Mark = {
  ...{ stream: 'user-7', type: 'Renamed', schema: 2, revision: 1 },
  ...{ position: '0000000000000009' as Mark['position'], reason: 'it is of a newer release' },
};

describe('definitions with a marked one', () => {
  const given = (...ids: readonly number[]) => {
    const known = new Map(ids.map((id) => [id, { id }]));
    const marks = () => new Map([[mark.stream, mark]]);
    return currentDefinitions({ marks }, { name: 'users', category: 'user' }, (id) => known.get(id));
  };
  const isRefused = (read: () => unknown): void => {
    expect(read).to.throw(Problem, 'user-7 cannot be shown').with.property('kind', 'unavailable');
  };

  it('return every other one by its id, and refuse the marked one and every list with it', () => {
    const definitions = given(1, 7);
    expect(definitions.one(1)).to.deep.equal({ id: 1 });
    expect(definitions.named({ id: 1 })).to.deep.equal({ id: 1 });
    expect(definitions.named(undefined)).to.equal(undefined);
    expect(definitions.whole([{ id: 1 }, { id: 7 }])).to.have.length(2);
    isRefused(() => definitions.one(7));
    isRefused(() => definitions.named({ id: 7 }));
    isRefused(() => definitions.all([{ id: 1 }, { id: 7 }]));
  });

  it('refuse lists and free names while the marked one has no known state', () => {
    const definitions = given(1);
    expect(definitions.one(1)).to.deep.equal({ id: 1 });
    isRefused(() => definitions.named(undefined));
    isRefused(() => definitions.whole([{ id: 1 }]));
    isRefused(() => definitions.all([{ id: 1 }]));
  });
});
