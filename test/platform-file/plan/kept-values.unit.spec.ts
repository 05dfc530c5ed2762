import { expect } from 'chai';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { applied, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';

const file = (field: string, rest = ''): string => `projects:
  - shortname: hydra
    label: Hydra
    trackers:
      - item_name: bug
        label: Bugs
        fields: [{ name: box, label: Box, type: fieldset, fields: [
          { name: status, label: Status,
            ${field} }] }]
        ${rest}
`;

const VALUES = 'type: sb, required: true, values: [{ label: A }, { label: B }, { label: C }]';
const B_ALONE = 'type: sb, values: [{ label: B }]';
const WORKFLOW = 'workflow: { field: status, transitions: [[null, B], [B, A]] }';
const OPEN = 'semantics: { status: { field: status, open: [A, B] } }';

function planned(text: string, before: PlannedPlatform = EMPTY_PLATFORM) {
  const { file: parsed, located } = parsePlatformFile(text);
  const { complaints, after, steps } = applied(before, parsed);
  const mistakes = located(complaints).map(({ line, pointer, message }) => `${line} ${pointer} ${message}`);
  return { mistakes, after, steps };
}

function after(text: string, before?: PlannedPlatform): PlannedPlatform {
  const result = planned(text, before);
  expect(result.mistakes).to.deep.equal([]);
  return result.after;
}

const PLACE = '9 /projects/0/trackers/0/fields/0/fields/0/values hides A, which';

describe('a value that a platform file hides', () => {
  for (const [keeper, first, words] of [
    ['the workflow', file(VALUES, WORKFLOW), 'the workflow of the tracker names: change that too'],
    ['the default', file(`${VALUES}, default: A`), 'the default of the field names: change that too'],
    [
      'the default of many',
      file(`${VALUES.replace('sb', 'msb')}, default: [B, A]`),
      'the default of the field names: change that too',
    ],
    [
      'the default of an open list',
      file(`${VALUES.replace('sb', 'tbl')}, default: [A]`),
      'the default of the field names: change that too',
    ],
  ] as const) {
    const type = /type: (\w+), required/.exec(first)?.[1] ?? '';
    it(`is refused while ${keeper} stays and names it, whether it is left out or hidden`, () => {
      const before = after(first);
      const without = B_ALONE.replace('sb', type);
      expect(planned(file(without), before).mistakes).to.deep.equal([`${PLACE} ${words}`]);
      const hidden = without.replace('[', '[{ label: A, hidden: true }, ');
      expect(planned(file(hidden), before).mistakes).to.deep.equal([`${PLACE} ${words}`]);
      // C is named nowhere.
      expect(planned(file(without.replace('[', '[{ label: A }, ')), before).mistakes).to.deep.equal([]);
    });
  }

  it('may be an open value of the status: artifacts that hold it stay open', () => {
    const { semantics } = [...after(file(B_ALONE), after(file(VALUES, OPEN))).trackers.values()][0]!;
    expect(semantics.status?.open).to.have.length(2);
  });

  it('may go together with what names it', () => {
    const before = after(file(`${VALUES}, default: A`, `${WORKFLOW}\n        ${OPEN}`));
    const changed = 'workflow: { field: status, transitions: [[null, B]] }\n        semantics: { status: null }';
    after(file(`${B_ALONE}, default: B`, changed), before);
    after(file(`${B_ALONE}, default: null`, 'workflow: null\n        semantics: null'), before);
  });

  it('is no fault of a file that finds it hidden, by an earlier release', () => {
    const sound = after(file(`${VALUES}, default: A`, `${WORKFLOW}\n        ${OPEN}`));
    const broken = structuredClone(sound);
    for (const { fields } of broken.trackers.values()) {
      const value = fields[0]!.fields![0]!.values![0]! as { hidden: boolean };
      value.hidden = true;
    }
    const other = planned(file(`${B_ALONE}, description: Changed`), broken);
    expect(other.mistakes).to.deep.equal([]);
    expect(other.steps.map(({ words }) => words)).to.deep.equal([
      'change the fields of tracker hydra/bug (changed status)',
    ]);
    expect(planned(file('type: sb, description: Changed'), broken).mistakes).to.deep.equal([]);
  });
});
