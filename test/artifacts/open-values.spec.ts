import { expect } from 'chai';
import { openValuesDecider } from '../../src/artifacts/open-values.js';
import { fold } from '../../src/core/decider.js';
import { type OpenValueEvent } from '../../src/trackers/tracker.js';
import { specify } from '../support/specify.js';

const { given } = specify(openValuesDecider);

const list = { fieldId: 7, trackerId: 101 };
const added = (number: number, label: string): OpenValueEvent => ({
  type: 'OpenValueAdded',
  data: { ...list, number, label },
});
const add = (...labels: readonly string[]) => ({ ...list, labels });

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

  it('may be many', () => {
    const labels = Array.from({ length: 20_000 }, (_, index) => `label ${index}`);
    const events = openValuesDecider.decide(add(...labels), null);
    expect(openValuesDecider.decide(add('label 19999', 'new'), fold(openValuesDecider, events))).to.deep.equal([
      added(20_001, 'new'),
    ]);
  });
});
