import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { unshownChanges, type UnshownChanges } from '../../src/users/unshown-changes.js';
import { user } from '../http/toy-app.js';

describe('a user whose last change is not shown', () => {
  const bob = (revision: number) => user(115, 'bob', { revision });
  let unshown: UnshownChanges;
  beforeEach(() => {
    unshown = unshownChanges();
  });

  it('is refused until the definitions have the user of that revision', () => {
    const [before, after] = [bob(3), bob(4)];
    expect(unshown.shown(before)).to.equal(before);
    unshown.add(115, { revision: 4 });
    expect(() => unshown.shown(before))
      .to.throw(Problem)
      .with.property('kind', 'unavailable');
    expect(unshown.shown(after)).to.equal(after);
    const other = user(116, 'ann');
    expect(unshown.shown(other)).to.equal(other);
  });

  it('is refused until the last of several changes, in whichever order they were answered', () => {
    unshown.add(115, { revision: 6 });
    unshown.add(115, { revision: 5 });
    expect(() => unshown.shown(bob(5))).to.throw(Problem);
    expect(unshown.shown(bob(7)).revision).to.equal(7);
  });
});
