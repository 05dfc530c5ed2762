import { expect } from 'chai';
import { openValuesDecider } from '../../src/artifacts/open-values.js';
import { fold } from '../../src/core/decider.js';
import { Problem } from '../../src/core/problem.js';
import { type OpenValueEvent } from '../../src/trackers/tracker-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(openValuesDecider);

const list = { fieldId: 7, trackerId: 101 };
const added = (number: number, label: string): OpenValueEvent => ({
  type: 'OpenValueAdded',
  data: { ...list, number, label },
});
const add = (...labels: readonly string[]) => ({ ...list, labels, defined: 0 });
const labels = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `label ${from + index}`);

describe('the labels of an open list', () => {
  it('are numbered from 1 in the order in which they were added', () => {
    given().when(add('a', 'b')).then(added(1, 'a'), added(2, 'b'));
    given(added(1, 'a')).when(add('b')).then(added(2, 'b'));
  });

  it('keep their number, however often they are added', () => {
    given(added(1, 'a'), added(2, 'b')).when(add('b', 'a')).thenNothing();
    given(added(1, 'a'))
      .when(add('b', 'a', 'b'))
      .then(added(2, 'b'));
  });

  it('may be any words', () => {
    given().when(add('__proto__', 'constructor')).then(added(1, '__proto__'), added(2, 'constructor'));
  });

  it('are 10000 at most, those of the definition among them', () => {
    const full = fold(openValuesDecider, openValuesDecider.decide({ ...add(...labels(9997)), defined: 2 }, null));
    const decide = (...more: readonly string[]) => openValuesDecider.decide({ ...add(...more), defined: 2 }, full);
    expect(decide('label 9997', 'new')).to.deep.equal([added(9998, 'new')]);
    expect(() => decide('new', 'newer'))
      .to.throw(Problem, '10000')
      .with.property('kind', 'invalid');
  });

  it('that are more than that in an older log stay, and take no more', () => {
    const old = labels(20_000).reduce(
      (state, label, index) => openValuesDecider.evolve(state, added(index + 1, label)),
      openValuesDecider.initialState,
    );
    expect(openValuesDecider.decide(add('label 19999'), old)).to.deep.equal([]);
    expect(() => openValuesDecider.decide(add('label 19999', 'new'), old)).to.throw(Problem);
  });
});
