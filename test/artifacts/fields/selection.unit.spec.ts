import { expect } from 'chai';
import { fullUser, minimalUser } from '../../../src/users/representation.js';
import { fieldOf, listValueOf } from '../../support/definitions.js';
import { ALICE, BOB, DEVELOPERS, EVE, GONE, pointers, read, refusal, written } from './setting.js';

const values = [
  listValueOf(504, { label: 'New', color: 'fiesta-red' }),
  listValueOf(505, { label: 'Done' }),
  listValueOf(506, { label: 'Old', hidden: true }),
];
const status = fieldOf(502, 'sb', { label: 'Status', bind: 'static', values });
const tags = fieldOf(507, 'msb', { label: 'Tags', bind: 'static', values });
const assigned = fieldOf(508, 'msb', { label: 'Assigned to', bind: 'users', from: [3] });
const team = fieldOf(509, 'cb', { label: 'Team', bind: 'user_groups', from: [3, DEVELOPERS] });

describe('A list of which one value is chosen', () => {
  it('takes the id of a value, or its digits', () => {
    expect(written(status, { bind_value_ids: [504] })).to.deep.equal([504]);
    expect(written(status, { bind_value_ids: ['504'] })).to.deep.equal([504]);
    expect(written(status, { bind_value_ids: [504, '504'] })).to.deep.equal([504]);
  });

  for (const none of [[], [0], [100], ['0'], ['100'], [0, 100]]) {
    it(`takes ${JSON.stringify(none)} for none`, () => {
      expect(written(status, { bind_value_ids: none }, [504])).to.deep.equal([]);
    });
  }

  it('refuses a second value', () => {
    for (const type of ['sb', 'rb'] as const) {
      const details = refusal({ ...status, type }, { bind_value_ids: [504, 505] });
      expect(details).to.deep.equal([{ pointer: '/bind_value_ids', message: 'Status: takes at most one value' }]);
    }
    expect(written(status, { bind_value_ids: [100, 505] })).to.deep.equal([505]);
  });

  it('refuses what is no value of its own, each by its place', () => {
    const details = refusal(status, { bind_value_ids: [9999, 504, 'New', null, 4.5, { id: 504 }] });
    expect(pointers(details)).to.deep.equal([0, 2, 3, 4, 5].map((index) => `/bind_value_ids/${index}`));
    expect(details[0]?.message).to.equal('Status: does not offer 9999');
    expect(details[1]?.message).to.equal('Status: does not offer "New"');
  });

  it('takes nothing but an array of ids in "bind_value_ids"', () => {
    expect(pointers(refusal(status, {}))).to.deep.equal(['']);
    expect(pointers(refusal(status, { bind_value_ids: 504 }))).to.deep.equal(['/bind_value_ids']);
    expect(pointers(refusal(status, { bind_value_ids: null }))).to.deep.equal(['/bind_value_ids']);
    expect(pointers(refusal(status, { bind_value_ids: [null] }))).to.deep.equal(['/bind_value_ids/0']);
  });

  it('keeps a hidden value that it holds, and takes none anew', () => {
    expect(pointers(refusal(status, { bind_value_ids: [506] }))).to.deep.equal(['/bind_value_ids/0']);
    expect(pointers(refusal(status, { bind_value_ids: [506] }, [504]))).to.deep.equal(['/bind_value_ids/0']);
    expect(written(status, { bind_value_ids: [506] }, [506])).to.deep.equal([506]);
  });

  it('is read with what its value is called and looks like', () => {
    expect(read(status, [504])).to.deep.equal({
      field_id: 502,
      type: 'sb',
      label: 'Status',
      values: [{ id: 504, label: 'New', color: null, tlp_color: 'fiesta-red', is_hidden: false }],
      bind_value_ids: [504],
    });
    expect(read(status, [506])).to.have.deep.property('values', [
      { id: 506, label: 'Old', color: null, tlp_color: null, is_hidden: true },
    ]);
    expect(read(status, [])).to.deep.include({ values: [], bind_value_ids: [] });
  });

  it('has no values without a definition of them', () => {
    const empty = fieldOf(502, 'rb');
    expect(refusal(empty, { bind_value_ids: [504] })).to.have.length(1);
    expect(read(empty, [504])).to.deep.include({ values: [] });
  });
});

describe('A list of which several values are chosen', () => {
  it('takes each once, in the order given', () => {
    expect(written(tags, { bind_value_ids: [505, 504, 505, 100] })).to.deep.equal([505, 504]);
  });

  it('is read in the order of its values', () => {
    expect(read(tags, [505, 504])).to.have.deep.property('bind_value_ids', [505, 504]);
  });
});

describe('A list that is written by "value"', () => {
  for (const type of ['sb', 'rb', 'msb', 'cb'] as const) {
    const list = { ...status, type };

    it(`takes the id of a value, its digits, and an array of them: ${type}`, () => {
      for (const value of [504, '504', [504], ['504'], [504, '504', 100], [504, '', null]]) {
        expect(written(list, { value }), JSON.stringify(value)).to.deep.equal([504]);
      }
    });

    it(`takes null, an empty text and the ids of None for none: ${type}`, () => {
      for (const value of [null, '', [], [null], [''], 0, '0', 100, '100', [100]]) {
        expect(written(list, { value }, [504]), JSON.stringify(value)).to.deep.equal([]);
      }
    });

    it(`refuses what is no value of its own, by its place: ${type}`, () => {
      for (const value of [9999, '9999', 'New', '504,505', ' 504', 4.5, 506]) {
        expect(pointers(refusal(list, { value })), JSON.stringify(value)).to.deep.equal(['/value']);
      }
      expect(pointers(refusal(list, { value: [9999, 504, [504], { id: 504 }, true] }))).to.deep.equal(
        [0, 2, 3, 4].map((index) => `/value/${index}`),
      );
      for (const value of [{ id: 504 }, {}, true]) {
        expect(refusal(list, { value })).to.deep.equal([
          { pointer: '/value', message: 'Status: takes the id of a value, or an array of ids' },
        ]);
      }
    });
  }

  it('refuses a second value where it holds one', () => {
    const message = 'Status: takes at most one value';
    expect(refusal(status, { value: [504, 505] })).to.deep.equal([{ pointer: '/value', message }]);
    expect(written(tags, { value: ['505', 504] })).to.deep.equal([505, 504]);
  });

  it('keeps a hidden value that it holds', () => {
    expect(written(status, { value: '506' }, [506])).to.deep.equal([506]);
  });

  it('takes users and groups by the ids under which they are read', () => {
    expect(written(assigned, { value: String(ALICE.id) })).to.deep.equal([ALICE.id]);
    expect(written(team, { value: '110_3' })).to.deep.equal([3]);
    expect(written(team, { value: ['110_3', DEVELOPERS] })).to.deep.equal([3, DEVELOPERS]);
    expect(pointers(refusal(team, { value: '111_3' }))).to.deep.equal(['/value']);
  });

  it('counts for nothing beside "bind_value_ids"', () => {
    expect(written(status, { value: '505', bind_value_ids: [504] })).to.deep.equal([504]);
    expect(written(status, { value: null, bind_value_ids: [504] })).to.deep.equal([504]);
    expect(written(status, { value: { id: 505 }, bind_value_ids: [] }, [504])).to.deep.equal([]);
    expect(pointers(refusal(status, { value: 504, bind_value_ids: null }))).to.deep.equal(['/bind_value_ids']);
  });

  it('is left at its default in a new artifact by null, as other fields are', () => {
    expect(written(status, { value: null })).to.equal(undefined);
    expect(written(status, { value: '' })).to.deep.equal([]);
  });
});

describe('A list of users', () => {
  it('takes active users of its groups', () => {
    expect(written(assigned, { bind_value_ids: [ALICE.id, BOB.id] })).to.deep.equal([ALICE.id, BOB.id]);
  });

  it('takes users of any of its groups', () => {
    const either = fieldOf(508, 'msb', { bind: 'users', from: [DEVELOPERS, 4] });
    expect(written(either, { bind_value_ids: [ALICE.id, BOB.id] })).to.deep.equal([ALICE.id, BOB.id]);
  });

  it('refuses users outside, suspended and unknown ones, unless it holds them', () => {
    const outside = [EVE.id, GONE.id, 999];
    expect(refusal(assigned, { bind_value_ids: outside })).to.have.length(3);
    expect(written(assigned, { bind_value_ids: outside }, outside)).to.deep.equal(outside);
  });

  it('offers no users if it names no group', () => {
    expect(refusal(fieldOf(508, 'msb', { bind: 'users' }), { bind_value_ids: [ALICE.id] })).to.have.length(1);
  });

  it('is read with the users, their addresses for who has signed in', () => {
    expect(read(assigned, [BOB.id, 999])).to.deep.equal({
      field_id: 508,
      type: 'msb',
      label: 'Assigned to',
      values: [minimalUser(BOB)],
      bind_value_ids: [BOB.id],
    });
    expect(read(assigned, [BOB.id], { user: ALICE })).to.deep.include({ values: [fullUser(BOB)] });
  });
});

describe('A list of user groups', () => {
  it('takes groups by number and by the id under which they are read', () => {
    expect(written(team, { bind_value_ids: ['110_3', DEVELOPERS] })).to.deep.equal([3, DEVELOPERS]);
    expect(written(team, { bind_value_ids: [3, '158'] })).to.deep.equal([3, DEVELOPERS]);
  });

  it('refuses groups of another project and those not in its list', () => {
    expect(refusal(team, { bind_value_ids: ['111_3', '110_4', 159] })).to.have.length(3);
    expect(written(team, { bind_value_ids: ['110_4'] }, [4])).to.deep.equal([4]);
  });

  it('is read with the groups and their ids', () => {
    expect(read(team, [3, DEVELOPERS, 999])).to.deep.include({ bind_value_ids: ['110_3', '158'] });
    expect(read(team, [DEVELOPERS])).to.have.deep.property('values', [
      {
        id: '158',
        uri: 'user_groups/158',
        label: 'Developers',
        users_uri: 'user_groups/158/users',
        short_name: 'developers',
        key: 'developers',
      },
    ]);
  });
});

describe('A list in a project that is no more', () => {
  const given = { projects: [], users: [ALICE] };

  it('offers neither users nor groups', () => {
    expect(refusal(assigned, { bind_value_ids: [ALICE.id] }, undefined, given)).to.have.length(1);
    expect(refusal(team, { bind_value_ids: [3] }, undefined, given)).to.have.length(1);
  });
});
