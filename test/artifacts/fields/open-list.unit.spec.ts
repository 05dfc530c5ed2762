import { expect } from 'chai';
import fc from 'fast-check';
import { newLabels, numbered } from '../../../src/artifacts/fields/open-list.js';
import { withNumbers } from '../../../src/artifacts/fields/parse-values.js';
import { sameValue } from '../../../src/artifacts/fields/values.js';
import { fieldOf, groupOf, listValueOf, projectOf } from '../../support/definitions.js';
import { ALICE, BOB, DEVELOPERS, EVE, PLACE, objects, parsed, pointers, read, refusal, written } from './setting.js';

const values = [
  listValueOf(12, { label: 'red', hidden: true }),
  listValueOf(13, { label: 'red' }),
  listValueOf(14, { label: 'café' }),
  listValueOf(15, { label: 'old', hidden: true }),
];
const colours = fieldOf(510, 'tbl', { label: 'Colours', bind: 'static', values });
const people = fieldOf(511, 'tbl', { label: 'People', bind: 'users', from: [3] });
const groups = fieldOf(512, 'tbl', { label: 'Groups', bind: 'user_groups', from: [3] });
const known = { ...PLACE, openValues: { 510: [{ number: 7, label: 'mauve' }] } };

const wish = (input: Record<string, unknown>) => parsed(colours, input, undefined, known).openLists.get(colours.id);

describe('An open list', () => {
  it('takes its own values and those that were added, by label', () => {
    expect(written(colours, { bind_value_ids: ['red', ' mauve '] }, undefined, known)).to.deep.equal([
      { bound: 13 },
      { open: 7, label: 'mauve' },
    ]);
  });

  it('compares labels with regard to case, and in one spelling', () => {
    expect(written(colours, { bind_value_ids: ['cafe\u0301'] })).to.deep.equal([{ bound: 14 }]);
    expect(wish({ bind_value_ids: ['Red'] })).to.deep.equal([{ newLabel: 'Red' }]);
  });

  it('wishes for a number where a label is new, and holds it once it has one', () => {
    const values = parsed(colours, { bind_value_ids: ['red', 'teal', 'teal ', 'mauve'] }, undefined, known);
    const wanted = values.openLists.get(510) ?? [];

    expect(values.values).to.deep.equal({});
    expect(newLabels(wanted)).to.deep.equal(['teal']);
    expect(numbered(wanted, () => 8)).to.deep.equal([
      { bound: 13 },
      { open: 8, label: 'teal' },
      { open: 7, label: 'mauve' },
    ]);
    expect(withNumbers(values, (fieldId, label) => (label === 'teal' ? fieldId : 0))).to.have.deep.nested.property(
      '510[1]',
      { open: 510, label: 'teal' },
    );
  });

  it('never adds a label that its list has, hidden as it may be', () => {
    expect(pointers(refusal(colours, { bind_value_ids: ['teal', 'old'] }))).to.deep.equal(['/bind_value_ids/1']);
    expect(written(colours, { bind_value_ids: ['old'] }, [{ bound: 15 }])).to.deep.equal([{ bound: 15 }]);
  });

  it('takes labels of 255 characters and no more, in one line', () => {
    expect(wish({ bind_value_ids: ['🚀'.repeat(255)] })).to.have.length(1);
    const refused = ['🚀'.repeat(256), '', '  ', 'a\nb', '\ud800', 12, null];
    expect(pointers(refusal(colours, { bind_value_ids: refused }))).to.deep.equal(
      refused.map((_, index) => `/bind_value_ids/${index}`),
    );
  });

  it('is emptied by an empty list and by null', () => {
    expect(written(colours, { bind_value_ids: [] }, [{ bound: 13 }])).to.deep.equal([]);
    expect(written(colours, { value: null }, [{ bound: 13 }])).to.deep.equal([]);
    expect(written(colours, objects(), [{ bound: 13 }])).to.deep.equal([]);
  });

  it('takes objects with an id or a label', () => {
    const submitted = objects({ id: 13 }, { id: 'b14' }, { id: 'o7' }, { label: 'red' }, { id: null, label: 'mauve' });
    expect(written(colours, submitted, undefined, known)).to.deep.equal([
      { bound: 13 },
      { bound: 14 },
      { open: 7, label: 'mauve' },
    ]);
    expect(wish(objects({ label: 'teal' }))).to.deep.equal([{ newLabel: 'teal' }]);
  });

  it('takes the label of an object whose id is what was typed, as the form of Tuleap sends it', () => {
    for (const label of ['teal', '2024', 'b14']) {
      expect(wish(objects({ id: label, label }))).to.deep.equal([{ newLabel: label }]);
    }
    expect(written(colours, objects({ id: 'red', label: 'red' }))).to.deep.equal([{ bound: 13 }]);
    expect(wish(objects({ id: '', label: 'teal' }, { id: 'o', label: 'sky' }))).to.have.length(2);
    expect(written(colours, objects({ id: 13, label: 'teal' }))).to.deep.equal([{ bound: 13 }]);
  });

  it('takes the objects of its value, whatever labels stand beside them', () => {
    const held = [{ bound: 13 }];
    for (const labels of [[], ['café'], null]) {
      expect(written(colours, { ...objects({ id: 13 }), bind_value_ids: labels }, held)).to.deep.equal(held);
    }
    expect(written(colours, { ...objects(), bind_value_ids: ['red'] }, held)).to.deep.equal([]);
    expect(pointers(refusal(colours, { ...objects({ id: 99 }), bind_value_ids: ['red'] }))).to.deep.equal([
      '/value/bind_value_objects/0/id',
    ]);
  });

  it('takes its labels if its value has no objects', () => {
    for (const value of [undefined, null, {}, { bind_value_objects: null }, 'red']) {
      expect(written(colours, { value, bind_value_ids: ['red'] })).to.deep.equal([{ bound: 13 }]);
    }
  });

  it('refuses objects without a known value, each with its place', () => {
    const refused = [{ id: 99 }, { id: 'o9' }, { id: 'x' }, { id: 12 }, { label: 5 }, { username: 'bob' }, {}, 'red'];
    expect(pointers(refusal(colours, objects(...refused)))).to.deep.equal(
      ['/id', '/id', '/id', '/id', '/label', '', '', ''].map((at, index) => `/value/bind_value_objects/${index}${at}`),
    );
  });

  it('takes nothing else', () => {
    for (const input of [{}, { value: 'red' }, { value: {} }, { bind_value_ids: 'red' }]) {
      expect(pointers(refusal(colours, input))).to.deep.equal(['']);
    }
  });

  it('is read with objects, labels, and what it is bound to', () => {
    expect(read(colours, [{ bound: 13 }, { open: 7, label: 'mauve' }])).to.deep.equal({
      field_id: 510,
      type: 'tbl',
      label: 'Colours',
      bind_value_objects: [
        { id: 13, label: 'red', color: null, tlp_color: null, is_hidden: false },
        { id: 'o7', label: 'mauve', color: null, tlp_color: null, is_hidden: false },
      ],
      bind_value_ids: ['red', 'mauve'],
      bind_type: 'static',
    });
  });

  it('is the same when what was read is sent back', () => {
    const held = [{ bound: 13 }, { open: 7, label: 'mauve' }];
    const shown = { ...read(colours, held) };
    for (const sent of [shown, { ...shown, value: null }, { ...shown, value: shown }]) {
      expect(written(colours, sent, held, known)).to.deep.equal(held);
    }
  });

  it('keeps an added label that its list offers, or hides, since', () => {
    const mauve = { open: 7, label: 'mauve' };
    for (const hidden of [false, true]) {
      const later = { ...colours, values: [listValueOf(16, { label: 'mauve', hidden })] };
      expect(written(later, { bind_value_ids: ['mauve'] }, [mauve], known)).to.deep.equal([mauve]);
      const both = [{ bound: 16 }, mauve];
      expect(written(later, { bind_value_ids: ['mauve', 'mauve'] }, both, known)).to.deep.equal(both);
    }
  });
});

describe('Whatever an open list holds', () => {
  const label = fc.constantFrom('red', 'mauve', 'eve', 'developers', 'Developers');
  const openLabels = fc
    .uniqueArray(label)
    .map((labels) => labels.map((text, index) => ({ number: index + 1, label: text })));
  const valuesLater = fc
    .array(fc.record({ label, hidden: fc.boolean() }), { minLength: 3, maxLength: 3 })
    .map((given) => given.map((value, index) => listValueOf(12 + index, value)));
  const field = fc.oneof(
    valuesLater.map((later) => ({ field: { ...colours, values: later }, bound: [12, 13, 14] })),
    fc.constantFrom([], [3]).map((from) => ({ field: { ...people, from }, bound: [ALICE.id, BOB.id, EVE.id] })),
    fc.constantFrom([], [3]).map((from) => ({ field: { ...groups, from }, bound: [3, DEVELOPERS] })),
  );
  const setting = fc.record({ field, added: openLabels }).chain(({ field: { field: later, bound }, added }) => {
    const items = [
      ...bound.map((id) => ({ bound: id })),
      ...added.map(({ number, label: text }) => ({ open: number, label: text })),
    ];
    return fc.record({ later: fc.constant(later), added: fc.constant(added), held: fc.shuffledSubarray(items) });
  });

  it('is not changed when it is sent back as it is read, whatever its list has come to offer', () => {
    fc.assert(
      fc.property(setting, ({ later, added, held }) => {
        const given = { ...PLACE, openValues: { [later.id]: added } };
        const { bind_value_objects: objectsRead, ...labelsRead } = read(later, held, { given }) as Record<
          string,
          unknown
        >;
        for (const sent of [labelsRead, { value: { bind_value_objects: objectsRead } }]) {
          const { values: kept, openLists } = parsed(later, sent, held, given);
          expect(sameValue(kept[String(later.id)], held)).to.equal(true);
          expect(openLists.size).to.equal(0);
        }
      }),
    );
  });
});

describe('A label that users added to an open list of users or groups before', () => {
  it('can be written again', () => {
    for (const field of [people, groups]) {
      const given = { ...PLACE, openValues: { [field.id]: [{ number: 7, label: 'old typo' }] } };
      const held = [{ open: 7, label: 'old typo' }];
      for (const input of [{ bind_value_ids: ['old typo'] }, objects({ id: 'o7' }), objects({ label: 'old typo' })]) {
        expect(written(field, input, undefined, given)).to.deep.equal(held);
      }
      expect(written(field, { bind_value_ids: ['old typo'] }, held)).to.deep.equal(held);
    }
  });
});

describe('An open list of user groups', () => {
  it('takes groups by short name, label and id', () => {
    for (const item of [{ short_name: 'project_members' }, { label: 'Project members' }, { id: '110_3' }, { id: 3 }]) {
      expect(written(groups, objects(item))).to.deep.equal([{ bound: 3 }]);
    }
    expect(refusal(groups, objects({ short_name: 'project_admins' }, { id: '111_3' }))).to.have.length(2);
  });

  it('adds no label, not even an email address', () => {
    const refused = refusal(groups, { bind_value_ids: ['project_admins', 'typo', 'x@example.org'] });
    expect(refused).to.have.length(3);
    expect(refused[1]?.message).to.equal('Groups: does not offer "typo"; use the name of a group that it offers');
  });

  it('takes the group of the short name, whatever label another one has', () => {
    const [builders, testers] = [
      groupOf(201, { shortName: 'builders', label: 'testers' }),
      groupOf(202, { shortName: 'testers', label: 'builders' }),
    ];
    const given = { ...PLACE, projects: [projectOf({ groups: [builders, testers] })] };
    const field = { ...groups, from: [201, 202] };
    const both = { bind_value_ids: ['testers', 'builders'] };
    expect(written(field, both, undefined, given)).to.deep.equal([{ bound: 202 }, { bound: 201 }]);
  });

  it('is read with groups and their short names, and is not changed when these are sent back', () => {
    expect(read(groups, [{ bound: 3 }])).to.deep.include({ bind_value_ids: ['project_members'], bind_type: 'ugroups' });
    const elsewhere = { ...groups, from: [4] };
    expect(written(elsewhere, { bind_value_ids: ['project_members'] }, [{ bound: 3 }])).to.deep.equal([{ bound: 3 }]);
  });
});
