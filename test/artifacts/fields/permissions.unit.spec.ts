import { expect } from 'chai';
import { fieldOf } from '../../support/definitions.js';
import { DEVELOPERS, pointers, read, refusal, written } from './setting.js';

const visibility = fieldOf(514, 'perm', { label: 'Visibility' });

describe('A perm field', () => {
  it('takes groups of the project', () => {
    const value = { granted_groups: [DEVELOPERS, '110_3', '158'], is_used_by_default: true };
    expect(written(visibility, { value })).to.deep.equal([3, DEVELOPERS]);
    expect(written(visibility, { value: { granted_groups: ['2'] } })).to.deep.equal([2]);
  });

  it('limits nothing when it is not used, null or without groups', () => {
    const unused = { is_used_by_default: false };
    for (const value of [unused, { ...unused, granted_groups: [DEVELOPERS] }, null, { granted_groups: [] }]) {
      expect(written(visibility, { value }, [3])).to.deep.equal([]);
    }
  });

  it('has to name its groups: a misspelt name does not lift the limits', () => {
    for (const value of [{}, { is_used_by_default: true }, { granted_group: ['110_3'] }]) {
      expect(pointers(refusal(visibility, { value }))).to.deep.equal(['/value/granted_groups']);
    }
  });

  it('refuses groups of other projects and values that are no group', () => {
    const details = refusal(visibility, { value: { granted_groups: ['111_3', 159, 'developers', {}, 5] } });
    expect(pointers(details)).to.deep.equal([0, 1, 2, 3, 4].map((index) => `/value/granted_groups/${index}`));
    expect(pointers(refusal(visibility, { value: [3] }))).to.deep.equal(['/value']);
    expect(pointers(refusal(visibility, { value: { granted_groups: 3 } }))).to.deep.equal(['/value/granted_groups']);
    expect(pointers(refusal(visibility, { value: { is_used_by_default: 1 } }))).to.deep.equal([
      '/value/is_used_by_default',
    ]);
    expect(pointers(refusal(visibility, {}))).to.deep.equal(['']);
  });

  it('is read with the labels and ids of its groups', () => {
    expect(read(visibility, [3, DEVELOPERS, 999])).to.deep.equal({
      field_id: 514,
      type: 'perm',
      label: 'Visibility',
      granted_groups: ['Project members', 'Developers'],
      granted_groups_ids: ['110_3', '158'],
    });
  });
});
