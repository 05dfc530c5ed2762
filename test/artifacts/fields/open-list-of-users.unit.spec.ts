import { expect } from 'chai';
import { minimalUser } from '../../../src/users/representation.js';
import { fieldOf } from '../../support/definitions.js';
import { ALICE, BOB, EVE, GONE, objects, parsed, pointers, read, refusal, written } from './setting.js';

const people = fieldOf(511, 'tbl', { label: 'People', bind: 'users', from: [3] });

const wish = (input: Record<string, unknown>) => parsed(people, input).openLists.get(people.id);

describe('An open list of users', () => {
  it('takes users by name, id and address', () => {
    const submitted = objects({ username: 'alice' }, { id: BOB.id }, { email: BOB.email }, { label: 'alice' });
    expect(written(people, submitted)).to.deep.equal([{ bound: ALICE.id }, { bound: BOB.id }]);
    expect(written(people, { bind_value_ids: ['bob'] })).to.deep.equal([{ bound: BOB.id }]);
  });

  it('takes the user whom an object names beside an id that was typed', () => {
    expect(written(people, objects({ id: 'typed', username: 'bob' }))).to.deep.equal([{ bound: BOB.id }]);
    expect(written(people, objects({ id: BOB.id, label: BOB.id }))).to.deep.equal([{ bound: BOB.id }]);
  });

  it('takes users as they are shown', () => {
    expect(written(people, { bind_value_ids: ['Bob Stone (bob)'] })).to.deep.equal([{ bound: BOB.id }]);
  });

  it('takes every active user, whatever groups it names', () => {
    const byEach = [{ username: 'eve' }, { id: EVE.id }, { email: EVE.email }, { label: 'eve' }];
    for (const item of byEach) expect(written(people, objects(item))).to.deep.equal([{ bound: EVE.id }]);
    const none = { ...people, from: [] };
    expect(written(none, { bind_value_ids: ['alice', 'eve'] })).to.deep.equal([{ bound: ALICE.id }, { bound: EVE.id }]);
  });

  it('refuses users who are suspended or unknown', () => {
    const refused = [{ username: 'gone' }, { id: GONE.id }, { label: 'gone' }, { username: 'nobody' }, { id: 999 }];
    expect(refusal(people, objects(...refused, { email: 5 }))).to.have.length(6);
  });

  it('adds an email address that belongs to no active user as a label', () => {
    for (const address of ['x@example.org', GONE.email]) {
      expect(wish(objects({ email: address }))).to.deep.equal([{ newLabel: address }]);
      expect(wish({ bind_value_ids: [` ${address}`] })).to.deep.equal([{ newLabel: address }]);
    }
  });

  it('takes the address of an account for its user in `email` alone, spelt as the account spells it', () => {
    for (const input of [{ bind_value_ids: [BOB.email] }, objects({ label: BOB.email })]) {
      expect(wish(input)).to.deep.equal([{ newLabel: BOB.email }]);
    }
    expect(wish(objects({ email: 'Bob@example.org' }))).to.deep.equal([{ newLabel: 'Bob@example.org' }]);
  });

  it('adds no other label, and names the one that it refuses', () => {
    const refused = ['carl', 'Bob (bob)', '@carl', 'carl@', 'carl @example.org', 'carl@example@org'];
    expect(pointers(refusal(people, { bind_value_ids: refused }))).to.deep.equal(
      refused.map((_, index) => `/bind_value_ids/${index}`),
    );
    const items = [{ label: 'carl' }, { id: 'carl', label: 'carl' }, { email: 'carl' }];
    const details = refusal(people, objects(...items));
    expect(pointers(details)).to.deep.equal(
      ['label', 'label', 'email'].map((member, index) => `/value/bind_value_objects/${index}/${member}`),
    );
    for (const { message } of details) {
      expect(message).to.equal('People: does not offer "carl"; use the name of a user, or an email address');
    }
  });

  it('is read with users and their names', () => {
    expect(read(people, [{ bound: BOB.id }, { bound: 999 }])).to.deep.include({
      bind_value_objects: [minimalUser(BOB)],
      bind_value_ids: ['bob'],
      bind_type: 'users',
    });
  });
});
