import { expect } from 'chai';
import { anonymousUser, fullUser, minimalUser } from '../../../src/users/representation.js';
import { fieldOf } from '../../support/definitions.js';
import { ALICE, BOB, parsed, pointers, read, refusal } from './setting.js';

describe('A field that the service fills', () => {
  const artifact = { submittedBy: ALICE.id, lastUpdateBy: BOB.id, atid: 3 };

  it('refuses another number of the artifact', () => {
    for (const type of ['aid', 'atid'] as const) {
      expect(pointers(refusal(fieldOf(1, type), { value: 5 }))).to.deep.equal(['/value']);
      expect(parsed(fieldOf(1, type), {}).values).to.deep.equal({});
    }
  });

  it('ignores a written author or time', () => {
    for (const type of ['subon', 'subby', 'lud', 'luby'] as const) {
      const { values, pointers: places } = parsed(fieldOf(1, type), { value: 'x' });
      expect(values).to.deep.equal({});
      expect(places.size).to.equal(0);
    }
  });

  it('is read from the artifact', () => {
    expect(read(fieldOf(1, 'aid', { label: 'Id' }), undefined, { artifact })).to.deep.equal({
      field_id: 1,
      type: 'aid',
      label: 'Id',
      value: 220,
    });
    expect(read(fieldOf(1, 'atid'), undefined, { artifact })).to.include({ value: 3 });
    expect(read(fieldOf(1, 'subon'), undefined, { artifact })).to.include({ value: '2024-03-05T09:11:12+00:00' });
    expect(read(fieldOf(1, 'lud'), undefined, { artifact })).to.include({ value: '2024-03-06T10:12:13+00:00' });
  });

  it('shows addresses of users to signed-in readers only', () => {
    expect(read(fieldOf(1, 'subby'), undefined, { artifact, user: BOB })).to.deep.include({ value: fullUser(ALICE) });
    expect(read(fieldOf(1, 'luby'), undefined, { artifact })).to.deep.include({ value: minimalUser(BOB) });
    expect(read(fieldOf(1, 'subby'), undefined)).to.deep.include({ value: anonymousUser() });
  });
});
