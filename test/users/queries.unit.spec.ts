import { expect } from 'chai';
import { isIdentifiedBy, searchUsers } from '../../src/users/queries.js';
import { definitionsOf, userOf } from '../support/definitions.js';

describe('A search for users', () => {
  it('by address ignores case and takes no longer for a long text among 1,000 users', () => {
    const users = Array.from({ length: 1000 }, (_, index) => userOf(index + 101, { email: `U${index}@a.org` }));
    const definitions = definitionsOf({ users });
    const found = (email: string) => searchUsers(definitions, JSON.stringify({ email })).map(({ id }) => id);

    expect(found('u7@A.ORG')).to.deep.equal([108]);
    const started = performance.now();
    expect(found('漢'.repeat(200_000))).to.deep.equal([]);
    expect(performance.now() - started).to.be.below(2000);
  });
});

describe('A user', () => {
  it('is identified by user name or address, whatever the case', () => {
    const ann = userOf(101, { username: 'ann', email: 'ann@example.org' });
    const isAnn = (identifier: string) => isIdentifiedBy(identifier)(ann);
    expect(['ANN', 'Ann@example.org', 'an', 'ann@example'].map(isAnn)).to.deep.equal([true, true, false, false]);
  });
});
