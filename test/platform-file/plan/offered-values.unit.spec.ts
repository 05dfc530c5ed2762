import { expect } from 'chai';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { exportedText } from '../../../src/platform-file/export/exported-text.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { whole } from '../../support/whole.js';
import { applied, definitionsIn, EMPTY_PLATFORM, type PlannedPlatform, planningUpon } from './planned-platform.js';

const USERS = `users:
  - { username: ann, real_name: Ann, email: a@b, password: x }
  - { username: eve, real_name: Eve, email: e@b, password: x }
`;

const file = (field: string, rest = '', members = 'ann'): string => `projects:
  - shortname: hydra
    label: Hydra
    admins: [ann]
    user_groups: [{ short_name: devs, label: Devs, members: [${members}] }, { short_name: ops, label: Ops }]
    trackers:
      - { item_name: bug, label: Bugs, fields: [{ name: status, label: Status, ${field} }]${rest} }
`;

const PEOPLE = applied(EMPTY_PLATFORM, parsePlatformFile(USERS).file).after;

const { planned, after } = planningUpon(PEOPLE);

const TRACKER = '/projects/0/trackers/0';
const DEFAULT = `${TRACKER}/fields/0/default`;
const TRANSITIONS = `${TRACKER}/workflow/transitions`;
const hidden = (label: string): string => `names ${label}, which is hidden: add hidden: false to the value`;
const workflow = (transitions: string): string => `, workflow: { field: status, transitions: ${transitions} }`;

const VALUES = '[{ label: Open }, { label: Done }, { label: Old, hidden: true }]';
const SHOWN = VALUES.replace(', hidden: true', '');
const list = (values: string, more = ''): string => `type: sb, values: ${values}${more}`;

/** A platform of an earlier release: `Old` was hidden although the default and the workflow name it. */
function withOldHidden(field: string, rest = ''): PlannedPlatform {
  const broken = structuredClone(after(file(field, rest)));
  for (const { fields } of broken.trackers.values()) {
    (fields[0]!.values!.find(({ label }) => label === 'Old') as { hidden: boolean }).hidden = true;
  }
  return broken;
}

function expectAtRest(before: PlannedPlatform, text = exportedText(whole(exportedPlatform(definitionsIn(before))))) {
  const { mistakes, steps } = planned(text, before);
  expect({ mistakes, steps }).to.deep.equal({ mistakes: [], steps: [] });
}

describe('a default of a list in a platform file', () => {
  for (const [type, value, pointer] of [
    ['sb', 'Old', DEFAULT],
    ['msb', '[Open, Old]', `${DEFAULT}/1`],
    ['tbl', '[Old]', `${DEFAULT}/0`],
  ] as const) {
    it(`of type ${type} cannot newly name a hidden value`, () => {
      const named = (values: string) => file(list(values, `, default: ${value}`).replace('sb', type));
      expect(planned(named(VALUES)).mistakes).to.deep.equal([`${pointer} ${hidden('Old')}`]);
      const without = after(file(list(VALUES).replace('sb', type)));
      expect(planned(named(VALUES), without).mistakes).to.deep.equal([`${pointer} ${hidden('Old')}`]);
      const unlisted = file(`type: ${type}, default: ${value}`);
      expect(planned(unlisted, without).mistakes).to.deep.equal([`${pointer} ${hidden('Old')}`]);
      after(named(VALUES.replace('true', 'false')), without);
      // Named and hidden by the same file.
      expect(planned(named(VALUES), after(named(SHOWN))).mistakes).to.deep.equal([`${pointer} ${hidden('Old')}`]);
    });
  }

  it('cannot name a value that was dropped and is listed again, unless the file shows it', () => {
    const dropped = after(file(list('[{ label: Open }]')), after(file(list('[{ label: Open }, { label: Old }]'))));
    const again = file(list('[{ label: Open }, { label: Old }]', ', default: Old'), workflow('[[null, Old]]'));
    expect(planned(again, dropped).mistakes).to.deep.equal([
      `${DEFAULT} ${hidden('Old')}`,
      `${TRANSITIONS}/0/1 ${hidden('Old')}`,
    ]);
    after(again.replace('label: Old', 'label: Old, hidden: false'), dropped);
  });

  it('cannot newly name a user or a group that the list does not offer', () => {
    const users = (names: string) => file(`type: msb, bind: users, from: [devs, project_admins], default: ${names}`);
    expect(planned(users('[ann, eve]')).mistakes).to.deep.equal([`${DEFAULT}/1 is not offered by the list: eve`]);
    after(users('[ann]'));
    after(users('[eve]').replace('devs, project_admins', 'registered_users'));
    after(users('[eve]').replace('members: [ann]', 'members: [eve]'));
    const groups = file('type: sb, bind: user_groups, from: [devs], default: ops');
    expect(planned(groups).mistakes).to.deep.equal([`${DEFAULT} is not offered by the list: ops`]);
  });

  it('stays where it is stored, though the list no longer offers it', () => {
    expectAtRest(withOldHidden(list(SHOWN, ', default: Old')));
    const eve = (members: string, type: string) =>
      file(`type: ${type}, bind: users, from: [devs], default: [eve]`, '', members);
    expectAtRest(after(eve('ann', 'msb'), after(eve('eve', 'msb'))));
    expectAtRest(after(eve('ann', 'tbl'), after(eve('eve', 'tbl'))));
    const ops = file('type: cb, bind: user_groups, from: [devs, ops], default: [ops]');
    const devsOnly = ops.replace('[devs, ops], default: [ops]', '[devs]');
    expectAtRest(after(devsOnly, after(ops)));
  });
});

describe('a workflow in a platform file', () => {
  it('names each transition once', () => {
    const ends = '[[null, Open], [Open, Done], [Done, Open], [null, Done], [Open, Done]]';
    expect(planned(file(list(SHOWN), workflow(ends))).mistakes).to.deep.equal([
      `${TRANSITIONS}/4 is listed twice: ["Open","Done"]`,
    ]);
  });

  it('cannot newly name a hidden value', () => {
    const values = '[{ label: Open, hidden: true }, { label: Done }]';
    const text = file(list(values), workflow('[[null, Open], [Open, Done]]'));
    const mistakes = [`${TRANSITIONS}/0/1 ${hidden('Open')}`, `${TRANSITIONS}/1/0 ${hidden('Open')}`];
    expect(planned(text).mistakes).to.deep.equal(mistakes);
    expect(planned(text, after(file(list(values)))).mistakes).to.deep.equal(mistakes);
    expect(planned(text, after(text.replace(', hidden: true', ''))).mistakes).to.deep.equal(mistakes);
    const unlisted = text.replace(/, values: .*?\]/, '');
    expect(planned(unlisted, after(file(list(values)))).mistakes).to.deep.equal(mistakes);
  });

  it('may keep a transition of a hidden value, but none alone as the first', () => {
    const both = workflow('[[null, Open], [null, Old], [Open, Done]]');
    const old = withOldHidden(list(SHOWN), both);
    expectAtRest(old);
    const alone = file(list(VALUES), workflow('[[null, Old], [Open, Done]]'));
    expect(planned(alone, old).mistakes).to.have.length(1);
    expect(planned(alone, old).mistakes[0]).to.match(/has no first transition/);
    expectAtRest(withOldHidden(list(SHOWN), workflow('[[null, Old], [Open, Done]]')));
  });

  it('leaves hidden values to the status, which they only classify', () => {
    after(file(list(VALUES), ', semantics: { status: { field: status, open: [Open, Old] } }'));
  });
});
