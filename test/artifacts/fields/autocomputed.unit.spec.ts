import { expect } from 'chai';
import fc from 'fast-check';
import { type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { autocomputed, type ComputedLookup } from '../../../src/artifacts/fields/autocomputed.js';
import { linksOf, manualOf } from '../../../src/trackers/field-types/canonical.js';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { artifactOf, fieldOf, trackerOf } from '../../support/definitions.js';

const LINKS = 1;
const EFFORT = 2;
const links = fieldOf(LINKS, 'art_link');
const trackers = [
  trackerOf([links, fieldOf(EFFORT, 'computed', { name: 'effort' })], { id: 101 }),
  trackerOf([links, fieldOf(EFFORT, 'int', { name: 'effort' })], { id: 102 }),
  trackerOf([links, fieldOf(EFFORT, 'string', { name: 'effort' })], { id: 103 }),
  trackerOf([links], { id: 104 }),
];
const AUTO = { auto: true } as const;

function node(id: number, children: readonly number[], effort: FieldValue = AUTO, trackerId = 101): ArtifactView {
  const values = { [LINKS]: children.map((child) => ({ id: child, type: '_is_child' })), [EFFORT]: effort };
  return artifactOf(id, { trackerId, values });
}

const leaf = (id: number, effort: FieldValue, trackerId = 102): ArtifactView => node(id, [], effort, trackerId);

function sum(artifacts: readonly ArtifactView[], given: Partial<ComputedLookup> = {}): number | null {
  return sums(artifacts.slice(0, 1), { ...lookupOf(artifacts), ...given }).get(artifacts[0]!.id) ?? null;
}

function lookupOf(artifacts: readonly ArtifactView[]): ComputedLookup {
  const known = new Map(artifacts.map((artifact) => [artifact.id, artifact]));
  return {
    artifact: (id) => known.get(id),
    tracker: (id) => trackers.find((tracker) => tracker.id === id),
    linksOf: ({ values }) => linksOf(values[LINKS]),
  };
}

function sums(parents: readonly ArtifactView[], lookup: ComputedLookup): ReadonlyMap<number, number | null> {
  const steps = autocomputed(parents, 'effort', lookup);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

describe('An automatic computed field', () => {
  it('is the sum of what its children hold under its name', () => {
    expect(sum([node(1, [2, 3, 4]), leaf(2, 3), leaf(3, 0.5), leaf(4, { manual: 4 }, 101)])).to.equal(7.5);
  });

  it('is the largest number where it is beyond', () => {
    const [high, low] = [node(2, [4, 5]), node(3, [6, 7])];
    const leaves = [leaf(4, 1e308), leaf(5, 1e308), leaf(6, -1e308), leaf(7, -1e308)];
    expect(sum([high, ...leaves])).to.equal(Number.MAX_VALUE);
    expect(sum([low, ...leaves])).to.equal(-Number.MAX_VALUE);
  });

  it('counts a child once that several fields of its parent link to', () => {
    const both = [
      { id: 2, type: '_is_child' },
      { id: 2, type: '_is_child' },
    ];
    expect(sum([node(1, [2]), leaf(2, 3)], { linksOf: () => both })).to.equal(3);
  });

  it('is null without children, and with children that hold no number', () => {
    expect(sum([node(1, [])])).to.equal(null);
    expect(sum([node(1, [2, 3, 4, 5]), leaf(2, null), leaf(3, 'a', 103), leaf(4, 5, 104), leaf(5, 5, 999)])).to.equal(
      null,
    );
    expect(sum([node(1, [2]), leaf(2, 0)])).to.equal(0);
  });

  it('leaves out children that hold neither a sum nor a number', () => {
    expect(sum([node(1, [2, 3]), node(2, [4], null), leaf(3, 5), leaf(4, 2)])).to.equal(5);
  });

  it('goes on below children that were never given a value', () => {
    const never = artifactOf(2, { trackerId: 101, values: { [LINKS]: [{ id: 4, type: '_is_child' }] } });
    expect(sum([node(1, [2, 3]), never, leaf(3, 5), leaf(4, 2)])).to.equal(7);
  });

  it('knows neither children out of sight nor links of other types', () => {
    const parent = artifactOf(1, {
      values: {
        [LINKS]: [
          { id: 2, type: '' },
          { id: 3, type: '_is_child' },
        ],
      },
    });
    expect(sum([parent, leaf(2, 5)])).to.equal(null);
  });

  it('leaves out fields that the reader may not read', () => {
    const tree = [node(1, [2]), leaf(2, 5)];
    const without = trackers.map((tracker) => (tracker.id === 102 ? trackerOf([links], { id: 102 }) : tracker));
    expect(sum(tree, { tracker: (id) => without.find((tracker) => tracker.id === id) })).to.equal(null);
    expect(sum(tree, { linksOf: () => [] })).to.equal(null);
  });

  it('goes on below children that are sums themselves', () => {
    expect(sum([node(1, [2, 3]), node(2, [4, 5]), node(3, []), leaf(4, 1), leaf(5, 2)])).to.equal(3);
  });

  it('counts what is below by several ways once', () => {
    expect(sum([node(1, [2, 3]), node(2, [4]), node(3, [4]), node(4, [5]), leaf(5, 2)])).to.equal(2);
    const release = node(1, [2, 3, 4]);
    const [sprint, next] = [node(2, [5, 6]), node(3, [6, 4])];
    expect(sum([release, sprint, next, leaf(4, 1), leaf(5, 2), leaf(6, 4)])).to.equal(7);
  });

  it('comes to an end in a circle', () => {
    expect(sum([node(1, [1])])).to.equal(null);
    expect(sum([node(1, [2], { manual: 5 }), node(2, [1, 3]), leaf(3, 1)])).to.equal(1);
    expect(sum([node(1, [2, 4]), node(2, [3, 4]), node(3, [1, 2, 4]), leaf(4, 1)])).to.equal(1);
  });

  it('goes as deep as there are children', () => {
    const depth = 20_000;
    const chain = Array.from({ length: depth }, (_, index) => node(index + 1, [index + 2]));
    expect(sum([...chain, leaf(depth + 1, 6)])).to.equal(6);
  });

  it('reads each artifact once, for any number of paths', () => {
    const layers = 40;
    const lattice = Array.from({ length: layers }, (_, layer) => [
      node(2 * layer + 1, [2 * layer + 3, 2 * layer + 4]),
      node(2 * layer + 2, [2 * layer + 3, 2 * layer + 4]),
    ]).flat();
    expect(sum([...lattice, leaf(2 * layers + 1, 1), leaf(2 * layers + 2, 1)])).to.equal(2);
  });

  it('is the same beside others, in circles too', () => {
    const size = 7;
    const ids = fc.integer({ min: 1, max: size });
    const effort = fc.oneof(
      fc.constant(AUTO),
      fc.constant(AUTO),
      fc.integer({ min: 1, max: 9 }).map((manual) => ({ manual })),
    );
    const nodes = fc.array(fc.tuple(fc.array(ids, { maxLength: 4 }), effort), { minLength: size, maxLength: size });
    fc.assert(
      fc.property(nodes, (all) => {
        const graph = all.map(([children, own], index) => node(index + 1, children, own));
        const lookup = lookupOf(graph);
        const alone = graph.map((parent) => [parent.id, sums([parent], lookup).get(parent.id)]);
        expect([...sums(graph, lookup)]).to.deep.equal(alone);
        expect(alone).to.deep.equal(graph.map((parent) => [parent.id, walked(parent, lookup)]));
      }),
    );
  });

  it('resolves the children of each artifact once, for any number of parents', () => {
    const size = 30;
    const ids = Array.from({ length: size }, (_, index) => index + 1);
    const graph = ids.map((id) => node(id, ids));
    let count = 0;
    const lookup = lookupOf(graph);
    sums(graph, { ...lookup, linksOf: (artifact) => ((count += 1), lookup.linksOf(artifact)) });
    expect(count).to.equal(size);
  });

  it('is walked in steps, of one artifact each', () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const graph = ids.map((id) => node(id, ids));
    expect([...autocomputed(graph.slice(0, 1), 'effort', lookupOf(graph))].length).to.be.at.least(ids.length);
  });
});

/** The rule in few words, for graphs that are small. */
function walked(root: ArtifactView, lookup: ComputedLookup): number | null {
  const reached = new Map<number, ArtifactView>();
  const isSum = ({ values }: ArtifactView): boolean => values[EFFORT] === AUTO;
  const reach = (parent: ArtifactView): void => {
    const children = lookup.linksOf(parent).flatMap(({ id }) => lookup.artifact(id) ?? []);
    for (const child of children.filter(({ id }) => !reached.has(id))) {
      reached.set(child.id, child);
      if (isSum(child)) reach(child);
    }
  };
  reach(root);
  const below = [...reached.values()].filter((artifact) => artifact !== root && !isSum(artifact));
  return below.length === 0 ? null : below.reduce((total, { values }) => total + manualOf(values[EFFORT])!, 0);
}
