/** Lists at their bounds. What is compared is how often labels and members are looked at, which no busy machine changes. */
import { expect } from 'chai';
import { parseValues, parseValuesByField } from '../../../src/artifacts/fields/parse-values.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type UserView } from '../../../src/users/user-view.js';
import {
  definitionsOf,
  fieldOf,
  groupOf,
  listValueOf,
  projectOf,
  trackerOf,
  userOf,
} from '../../support/definitions.js';
import { htmlAtOnce } from './html-at-once.js';
import { DEVELOPERS, parsed, PLACE, violations, written } from './setting.js';

const LABELS = 10_000;
const ITEMS = 1000;
/** How often each label or member may be looked at. */
const FEW = 10;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The objects with one member that counts how often it is read. */
function counted<T extends object>(objects: readonly T[], member: keyof T & string) {
  let reads = 0;
  const watched = objects.map((object) => {
    const value = object[member];
    return Object.defineProperty({ ...object }, member, {
      enumerable: true,
      get: () => {
        reads += 1;
        return value;
      },
    });
  });
  return { watched, reads: () => reads };
}

const values = range(LABELS).map((id) => listValueOf(id + 1, { label: `v${id}` }));
const last = range(ITEMS).map((index) => LABELS - 1 - index);

describe('Lists at their bounds', () => {
  it('find 1,000 labels among 10,000 of the list without walking it for each', () => {
    const { watched, reads } = counted(values, 'label');
    const field = fieldOf(510, 'tbl', { bind: 'static', values: watched });

    const labels = last.map((id) => `v${id}`);
    expect(written(field, { bind_value_ids: labels })).to.deep.equal(last.map((id) => ({ bound: id + 1 })));
    expect(reads()).to.be.below(FEW * LABELS);
  });

  it('find 1,000 labels and numbers among 10,000 that users added without walking them for each', () => {
    const added = range(LABELS).map((index) => ({ number: index + 1, label: `v${index}` }));
    const [labels, numbers] = [counted(added, 'label'), counted(added, 'number')];
    const field = fieldOf(510, 'tbl', { bind: 'static', values: [] });
    const expected = last.map((index) => ({ open: index + 1, label: `v${index}` }));

    const byLabel = { bind_value_ids: last.map((index) => `v${index}`) };
    const inPlace = (openValues: typeof added) => ({ ...PLACE, openValues: { 510: openValues } });
    expect(written(field, byLabel, undefined, inPlace(labels.watched))).to.deep.equal(expected);
    const byNumber = { value: { bind_value_objects: last.map((index) => ({ id: `o${index + 1}` })) } };
    expect(written(field, byNumber, undefined, inPlace(numbers.watched))).to.deep.equal(expected);
    expect(labels.reads() + numbers.reads()).to.be.below(FEW * LABELS);
  });

  it('find 1,000 values by id among 10,000 without walking them for each', () => {
    const { watched, reads } = counted(values, 'id');
    const field = fieldOf(511, 'msb', { bind: 'static', values: watched });

    const ids = last.map((id) => id + 1);
    expect(written(field, { bind_value_ids: ids })).to.deep.equal(ids);
    expect(reads()).to.be.below(FEW * LABELS);
  });

  it('find 1,000 addresses among 10,000 users without walking them for each', () => {
    const users = range(LABELS).map((index) =>
      userOf(index + 1000, { username: `u${index}`, email: `u${index}@a.org` }),
    );
    const { watched, reads } = counted<UserView>(users, 'email');
    const field = fieldOf(512, 'tbl', { bind: 'users', from: [2] });
    const given = { ...PLACE, users: watched };
    const objects = last.map((index) => ({ email: `u${index}@a.org` }));

    expect(written(field, { value: { bind_value_objects: objects } }, undefined, given)).to.deep.equal(
      last.map((index) => ({ bound: index + 1000 })),
    );
    expect(reads()).to.be.below(FEW * LABELS);
  });

  it('find addresses of 20 lists among 10,000 users without walking them for each list', () => {
    const users = range(LABELS).map((index) => userOf(index + 1000, { email: `u${index}@a.org` }));
    const { watched, reads } = counted<UserView>(users, 'email');
    const lists = range(20).map((index) => fieldOf(520 + index, 'tbl', { bind: 'users', from: [2] }));
    const objects = [{ email: 'u7@a.org' }];

    const inputs = lists.map(({ id }) => ({ field_id: id, value: { bind_value_objects: objects } }));
    const context = { definitions: definitionsOf({ ...PLACE, users: watched }), htmlOf: htmlAtOnce };
    const { values: found } = parseValues(trackerOf(lists), inputs, context);
    expect(Object.values(found)).to.deep.equal(lists.map(() => [{ bound: 1007 }]));
    expect(reads()).to.be.below(FEW * LABELS);
  });

  it('look once at 100 users with one address who are suspended', () => {
    const users = range(100).map((index) => userOf(index + 1000, { email: 'all@a.org', status: 'suspended' }));
    const { watched, reads } = counted<UserView>(users, 'status');
    const field = fieldOf(512, 'tbl', { bind: 'users', from: [DEVELOPERS] });
    const objects = range(ITEMS).map(() => ({ email: 'all@a.org' }));

    const input = { value: { bind_value_objects: objects } };
    const { openLists } = parsed(field, input, undefined, { ...PLACE, users: watched });
    expect(openLists.get(512)).to.deep.equal([{ newLabel: 'all@a.org' }]);
    expect(reads()).to.be.below(FEW * users.length);
  });

  it('find 1,000 labels among 300 groups without walking them for each', () => {
    const given = range(300).map((index) => groupOf(index + 1000, { label: `Group ${index % 200}` }));
    const { watched, reads } = counted(given, 'label');
    const field = fieldOf(513, 'tbl', { bind: 'user_groups', from: given.map(({ id }) => id).reverse() });
    const place = { ...PLACE, projects: [projectOf({ groups: watched })] };

    const labels = range(ITEMS).map((index) => ['group1007', 'Group 7', 'Group 150'][index % 3]);
    expect(written(field, { bind_value_ids: labels }, undefined, place)).to.deep.equal([
      { bound: 1007 },
      { bound: 1207 },
      { bound: 1150 },
    ]);
    expect(reads()).to.be.below(FEW * given.length);
  });

  it('are refused for the first 100 of 60,000 unknown names, and the others are not looked at', () => {
    let asked = 0;
    const unknown = (): undefined => {
      asked += 1;
    };
    const tracker = { ...trackerOf([]), fieldNamed: unknown };
    const inputs = Object.fromEntries(range(60_000).map((index) => [`f${index}`, {}]));

    const refused = violations(() =>
      parseValuesByField(tracker, inputs, { definitions: definitionsOf(PLACE), htmlOf: htmlAtOnce }),
    );
    expect(refused.map(({ pointer }) => pointer)).to.deep.equal(
      range(100).map((index) => `/values_by_field/f${index}`),
    );
    expect(asked).to.equal(100);
  });

  it('know the groups of 1,000 users without walking the members for each', () => {
    const ids = range(LABELS).map((index) => index + 1000);
    let reads = 0;
    const members = new Proxy(ids, {
      get: (target, name, receiver) => {
        reads += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const project = projectOf({ members, groups: [groupOf(158, { members })] });
    const definitions = definitionsOf({ projects: [project] });

    const groups = last.map((index) => viewer(definitions, userOf(index + 1000)).groupsIn(project));
    for (const of of groups) expect([...of]).to.have.members([1, 2, 3, 158]);
    expect(reads).to.be.below(FEW * LABELS);
  });
});
