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
    const withNull = [
      { ...unused, granted_groups: null },
      { is_used_by_default: null, granted_groups: [] },
    ];
    const withoutGroups = [{ granted_groups: [] }, { ...unused, granted_groups: [] }, ...withNull];
    for (const value of [unused, null, ...withoutGroups]) {
      expect(written(visibility, { value }, [3]), JSON.stringify(value)).to.deep.equal([]);
    }
  });

  it('is limited to the groups that are listed, whatever is said beside them', () => {
    for (const isUsed of [true, false, null, undefined]) {
      const value = { granted_groups: [DEVELOPERS], is_used_by_default: isUsed };
      expect(written(visibility, { value }, [3]), String(isUsed)).to.deep.equal([DEVELOPERS]);
    }
    const unknown = { granted_groups: [159], is_used_by_default: false };
    expect(pointers(refusal(visibility, { value: unknown }))).to.deep.equal(['/value/granted_groups/0']);
  });

  it('is refused as used without a group', () => {
    const value = { granted_groups: [], is_used_by_default: true };
    expect(pointers(refusal(visibility, { value }))).to.deep.equal(['/value/granted_groups']);
  });

  it('is not changed when what was read is sent back, with null for what a client leaves out', () => {
    for (const held of [[3, DEVELOPERS], []]) {
      const shown = { ...read(visibility, held) };
      for (const sent of [shown, { ...shown, value: null }]) {
        expect(written(visibility, sent, held)).to.deep.equal(held);
        expect(written(visibility, sent), 'in a new artifact').to.deep.equal(held);
      }
    }
  });

  it('has to name its groups: a misspelt name does not lift the limits', () => {
    const nulls = [{ granted_groups: null }, { is_used_by_default: null }];
    for (const value of [{}, { is_used_by_default: true }, { granted_group: ['110_3'] }, ...nulls]) {
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
