import { expect } from 'chai';
import { bindingOf, plainLabel } from '../../../src/artifacts/fields/list-values.js';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { exportedText } from '../../../src/platform-file/export/exported-text.js';
import { type Field } from '../../../src/trackers/field-types/definition.js';
import { type Tracker } from '../../../src/trackers/tracker.js';
import { whole } from '../../support/whole.js';
import { definitionsIn, EMPTY_PLATFORM, type PlannedPlatform, planningUpon } from './planned-platform.js';

const COMPOSED = 'Café';
const DECOMPOSED = COMPOSED.normalize('NFD');

interface Given {
  readonly type?: string;
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly open?: readonly string[];
  readonly transitions?: readonly (readonly (string | null)[])[];
}

/** Without the members that are undefined. */
const file = ({ type = 'sb', values, default: byDefault, open, transitions }: Given): string => {
  const labels = values?.map((label) => ({ label }));
  const status = { name: 'status', label: 'Status', type, values: labels, default: byDefault };
  const semantics = open && { status: { field: 'status', open } };
  const workflow = transitions && { field: 'status', transitions };
  const tracker = { item_name: 'bug', label: 'Bugs', fields: [status], semantics, workflow };
  return JSON.stringify({ projects: [{ shortname: 'hydra', label: 'Hydra', trackers: [tracker] }] });
};

const { planned, after } = planningUpon(EMPTY_PLATFORM);

function expectAtRest(text: string, before: PlannedPlatform) {
  const { mistakes, steps } = planned(text, before);
  expect({ mistakes, steps }).to.deep.equal({ mistakes: [], steps: [] });
}

const trackerIn = ({ trackers }: PlannedPlatform): Tracker => [...trackers.values()][0]!;
const statusIn = (platform: PlannedPlatform): Field => trackerIn(platform).fields[0]!;
const shownIn = (platform: PlannedPlatform) => (statusIn(platform).values ?? []).filter(({ hidden }) => !hidden);
const idsIn = (platform: PlannedPlatform) => shownIn(platform).map(({ id }) => id);

/** A platform of an earlier release, which told the two spellings apart. */
function withBothStored(given: Given): PlannedPlatform {
  const platform = structuredClone(after(file({ ...given, values: [COMPOSED, 'Other'] })));
  (statusIn(platform).values![1] as { label: string }).label = DECOMPOSED;
  return platform;
}

const TRACKER = '/projects/0/trackers/0';

describe('a label of a list in a platform file', () => {
  for (const [words, first, second] of [
    ['in NFD', COMPOSED, DECOMPOSED],
    ['in NFC', DECOMPOSED, COMPOSED],
    ['with a space at its end', 'a', 'a '],
    ['without a space at its start', '\u00a0a', 'a'],
  ] as const) {
    it(`is refused a second time ${words}`, () => {
      const twice = [`${TRACKER}/fields/0/values/1/label is listed twice: ${plainLabel(first)}`];
      const both = file({ values: [first, second] });
      expect(planned(both).mistakes).to.deep.equal(twice);
      expect(planned(both, after(file({ values: [first] }))).mistakes).to.deep.equal(twice);
      expect(planned(both, after(file({ values: [second] }))).mistakes).to.deep.equal(twice);
    });

    it(`names the same value ${words}`, () => {
      const given = (label: string): Given => ({ default: label, open: [label], transitions: [[null, label]] });
      const before = after(file({ values: [first, 'Done'], ...given(first) }));
      expectAtRest(file({ values: [first, 'Done'], ...given(first) }), before);
      expectAtRest(file({ values: [second, 'Done'], ...given(second) }), before);
      expectAtRest(file(given(second)), before);
      const { trackers } = after(file({ values: [first, 'Done'], ...given(second) }));
      expect(trackers).to.deep.equal(before.trackers);
    });
  }

  it('is refused, if it is new, when it is too long as it would be stored', () => {
    const label = `${TRACKER}/fields/0/values/0/label`;
    // Its NFC has two characters.
    const long = file({ values: ['\u0958'.repeat(128)] });
    expect(planned(long).mistakes).to.deep.equal([`${label} takes at most 255 characters`]);
    expect(planned(file({ values: ['\u0958'.repeat(127)] })).mistakes).to.deep.equal([]);
  });

  it('is stored as the API compares it, if it is new', () => {
    const platform = after(file({ values: [` ${DECOMPOSED}\t`, 'Done'] }));
    expect(shownIn(platform).map(({ label }) => label)).to.deep.equal([COMPOSED, 'Done']);
  });

  it('stays as an earlier release stored it', () => {
    const platform = structuredClone(after(file({ values: [COMPOSED] })));
    (statusIn(platform).values![0] as { label: string }).label = `${DECOMPOSED} `;
    expectAtRest(file({ values: [COMPOSED] }), platform);
    expectAtRest(file({ values: [`${DECOMPOSED} `] }), platform);
  });

  it('is still told apart by case and by spaces within', () => {
    expect(shownIn(after(file({ values: ['a b', 'a  b', 'A b'] })))).to.have.length(3);
  });

  it('counts once among the open values, also in two spellings', () => {
    const platform = after(file({ values: [COMPOSED], open: [COMPOSED, DECOMPOSED] }));
    expect(trackerIn(platform).semantics.status?.open).to.deep.equal(idsIn(platform));
  });

  it('makes a transition that is listed twice, also in two spellings', () => {
    const transitions = [
      [null, COMPOSED],
      [null, DECOMPOSED],
      [DECOMPOSED, 'Done'],
      [COMPOSED, 'Done '],
    ];
    expect(planned(file({ values: [COMPOSED, 'Done'], transitions })).mistakes).to.deep.equal([
      `${TRACKER}/workflow/transitions/1 is listed twice: [null,"${COMPOSED}"]`,
      `${TRACKER}/workflow/transitions/3 is listed twice: ["${COMPOSED}","Done"]`,
    ]);
  });

  it('counts once in a default of many, also in two spellings', () => {
    const platform = after(file({ type: 'msb', values: [COMPOSED], default: [DECOMPOSED, `${COMPOSED} `] }));
    expect(statusIn(platform).default).to.deep.equal(idsIn(platform));
  });
});

describe('values of a list whose labels an earlier release stored alike', () => {
  const transitions = [
    [null, COMPOSED],
    [null, 'Other'],
  ];

  it('stay, as an export has them, and are named by exactly their labels', () => {
    const platform = withBothStored({ type: 'rb', default: 'Other', open: ['Other'], transitions });
    expectAtRest(exportedText(whole(exportedPlatform(definitionsIn(platform)))), platform);
    const [, second] = idsIn(platform);
    const other = { type: 'rb', default: COMPOSED, open: [DECOMPOSED], transitions: [[null, DECOMPOSED]] };
    const changed = after(file({ ...other, values: [COMPOSED, DECOMPOSED] }), platform);
    expect(trackerIn(changed).semantics.status?.open).to.deep.equal([second]);
    expect(trackerIn(changed).workflow?.transitions.map(({ to }) => to)).to.deep.equal([second]);
    expect(statusIn(changed).default).to.deep.equal([idsIn(platform)[0]]);
  });

  it('become one that the API finds once the file lists one of them', () => {
    const platform = withBothStored({});
    const [first, second] = idsIn(platform);
    for (const [values, kept] of [
      [[COMPOSED], first],
      [[DECOMPOSED], second],
      [[` ${COMPOSED}`], first],
    ] as const) {
      const one = after(file({ values }), platform);
      expect(idsIn(one)).to.deep.equal([kept]);
      expect(statusIn(one).values).to.have.length(2);
      const context = { definitions: definitionsIn(one), projectId: 0 };
      expect(bindingOf(statusIn(one)).named(statusIn(one), COMPOSED, context)).to.equal(kept);
    }
  });

  it('are refused if the file lists a third spelling beside them', () => {
    const three = file({ values: [COMPOSED, DECOMPOSED, `${DECOMPOSED} `] });
    expect(planned(three, withBothStored({})).mistakes).to.deep.equal([
      `${TRACKER}/fields/0/values/2/label is listed twice: ${COMPOSED}`,
    ]);
  });
});
