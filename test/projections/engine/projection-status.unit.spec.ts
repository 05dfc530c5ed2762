import { expect } from 'chai';
import fc from 'fast-check';
import {
  initialStatus,
  statusIn,
  storedStatus,
  transition,
  type Happening,
  type ProjectionStatus,
  type StoredStatus,
} from '../../../projections/engine/projection-status.js';
import { type Mark } from '../../../src/core/marks.js';
import { at } from '../../stores/contracts/read-models-fixture.js';

const progress = (generation: number, position = 0, marks: readonly Mark[] = []) => ({
  generation,
  position: position === 0 ? null : at(position),
  event: null,
  marks: new Map(marks.map((mark) => [mark.stream, mark])),
});
const served = (generation: number): Happening => ({ type: 'served', progress: progress(generation) });
const progressed = (generation: number, position: number): Happening => ({
  type: 'progressed',
  progress: progress(generation, position),
});
const filling: Happening = { type: 'filling', progress: null };
const nothingYet = {
  projection: 'users',
  events: 0,
  eventsPerSecond: 0,
  share: 0,
  secondsLeft: null,
  position: null,
  end: null,
};
const filled: Happening = { type: 'filled' };
const stop = { reason: 'poison', poison: null };
const stopped: Happening = { type: 'stopped', ...stop };
const troubled: Happening = { type: 'troubled', reason: 'the disk is busy' };
const withdrawn: Happening = { type: 'withdrawn' };
const seen = (generation: number, position: number): Happening => ({
  type: 'seen',
  reached: { generation, position: at(position), event: null },
});
const unattended: Happening = { type: 'unattended', reason: 'nobody has it' };

const initial = initialStatus({ name: 'users', version: 3 });
const after = (...happenings: readonly Happening[]): ProjectionStatus => happenings.reduce(transition, initial);

/** With a prototype, which JSON gives them. */
const plain = <T>(model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });
const position = fc.option(fc.nat(1000).map(at));
const mark: fc.Arbitrary<Mark> = plain({
  stream: fc.nat(200).map((id) => `user-${id}` as const),
  type: fc.string(),
  schema: fc.option(fc.nat()),
  revision: fc.nat(),
  position: fc.nat(1000).map(at),
  reason: fc.string(),
});
const marks = fc.uniqueArray(mark, { selector: ({ stream }) => stream, maxLength: 100 });
const poison = plain({
  type: fc.string(),
  stream: fc.string(),
  revision: fc.nat(),
  position: fc.nat(1000).map(at),
  reason: fc.string(),
});
const rebuild = plain({
  projection: fc.constant('users'),
  events: fc.nat(),
  eventsPerSecond: fc.nat(),
  share: fc.nat(1000).map((thousandths) => thousandths / 1000),
  secondsLeft: fc.option(fc.nat()),
  position,
  end: position,
});
const anyProgress = plain({
  generation: fc.nat(),
  position,
  event: fc.constant(null),
  marks: marks.map((all) => new Map(all.map((one) => [one.stream, one]))),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  plain({ type: fc.constantFrom('served', 'progressed'), progress: anyProgress }),
  plain({ type: fc.constant('filling' as const), progress: fc.option(rebuild) }),
  fc.constantFrom(filled, withdrawn, unattended),
  plain({ type: fc.constant('stopped' as const), reason: fc.string(), poison: fc.option(poison) }),
  plain({ type: fc.constant('troubled' as const), reason: fc.string() }),
);
const happenings = fc.array(happening, { maxLength: 12 });

describe('the status of a projection', () => {
  const given: readonly (readonly [string, readonly Happening[], object])[] = [
    ['is filling at first', [], { state: 'filling', served: null, rebuild: null, stop: null, trouble: null }],
    ['is filling until something is served', [filling, filled], { state: 'filling', rebuild: null }],
    ['is live once it is served', [filling, served(1), filled], { state: 'live', served: progress(1), rebuild: null }],
    ['goes on', [served(1), progressed(1, 7)], { state: 'live', served: progress(1, 7) }],
    ['is in trouble until it goes on', [served(1), troubled], { state: 'live', trouble: 'the disk is busy' }],
    ['is out of trouble when it goes on', [served(1), troubled, progressed(1, 7)], { state: 'live', trouble: null }],
    ['stops', [served(1), stopped], { state: 'stopped', served: progress(1), stop }],
    ['stops before anything is served', [filling, stopped], { state: 'stopped', served: null, rebuild: null, stop }],
    [
      'goes on while it is rebuilt',
      [served(1), filling, progressed(1, 7)],
      { state: 'rebuilding', served: progress(1, 7) },
    ],
    ['is live after a rebuild that failed', [served(1), filling, filled], { state: 'live', served: progress(1) }],
    ['is live after a rebuild', [served(1), filling, served(2), filled], { state: 'live', served: progress(2) }],
    ['is rebuilt though it stopped', [served(1), stopped, filling], { state: 'rebuilding', stop, served: progress(1) }],
    [
      'stops while it is rebuilt',
      [served(1), filling, stopped, filled],
      { state: 'stopped', served: progress(1), stop },
    ],
    ['is rebuilt on when it stops meanwhile', [served(1), filling, stopped], { state: 'rebuilding', stop }],
    [
      'is live after a rebuild of what stopped',
      [served(1), stopped, filling, served(2)],
      { state: 'live', stop: null },
    ],
    ['is filling once it is withdrawn', [served(1), withdrawn], { state: 'filling', served: null, rebuild: null }],
    [
      'is filled by a rebuild that it is withdrawn for',
      [served(1), filling, withdrawn],
      { state: 'filling', served: null },
    ],
    [
      'is filling once it is withdrawn, though it had stopped',
      [served(1), stopped, filling, withdrawn, filled],
      { state: 'filling', served: null, rebuild: null, stop: null },
    ],
    ['serves what the store is seen to serve', [served(1), seen(2, 7)], { state: 'live', served: progress(2, 7) }],
    ['stays stopped when it is seen', [stopped, seen(1, 7)], { state: 'stopped', served: progress(1, 7), stop }],
    [
      'is filling when an earlier version is seen',
      [filling, seen(1, 7), filled],
      { state: 'filling', served: progress(1, 7) },
    ],
    ['keeps its trouble when it is seen', [troubled, seen(1, 7)], { trouble: 'the disk is busy' }],
    [
      'serves on what nobody keeps up to date',
      [served(1), unattended],
      { state: 'live', served: progress(1), trouble: 'nobody has it', isUnattended: true },
    ],
  ];
  for (const [title, before, then] of given) {
    it(title, () => {
      expect(after(...before)).to.deep.include(then);
    });
  }

  it('is one of the legal ones after any notices', () => {
    const property = fc.property(happenings, (happened) => {
      const { state, served: now, rebuild: progress, stop: why } = after(...happened);
      const isLegal = {
        filling: now === null && why === null,
        live: now !== null && progress === null && why === null,
        rebuilding: progress !== null && (now !== null || why !== null),
        stopped: progress === null && why !== null,
      };
      expect(isLegal[state], state).to.equal(true);
    });
    fc.assert(property);
  });

  it('keeps its marks when it is seen', () => {
    const one: Mark = {
      stream: 'user-1',
      type: 'Odd',
      reason: 'it is odd',
      schema: null,
      revision: 0,
      position: at(5),
    };
    const marked = after({ type: 'served', progress: progress(1, 5, [one]) }, seen(1, 7));
    expect(marked.served).to.deep.equal(progress(1, 7, [one]));
  });

  it('shows a stop, and what is served, after any other notices', () => {
    const property = fc.property(happenings, (happened) => {
      const { served: now, stop: why } = after(...happened);
      const last = (...types: readonly Happening['type'][]) =>
        happened.findLast(({ type }) => types.includes(type))?.type;
      expect(why !== null).to.equal(last('stopped', 'served', 'withdrawn') === 'stopped');
      expect(now !== null).to.equal(last('served', 'withdrawn') === 'served');
    });
    fc.assert(property);
  });

  it('is stored in the form that earlier releases read', () => {
    const stored = {
      projection: 'users',
      version: 3,
      state: 'live',
      run: 1,
      position: at(7),
      reason: null,
      poison: null,
      trouble: null,
      rebuild: nothingYet,
      marks: [],
    };
    expect(storedStatus(after(served(1), progressed(1, 7), filling))).to.deep.equal(stored);
    const late = { ...stored, state: 'stopped', reason: 'poison' };
    expect(storedStatus(after(served(1), progressed(1, 7), filling, stopped))).to.deep.equal(late);
  });

  it('is what it was once it has been stored', () => {
    const property = fc.property(happenings, (happened) => {
      const status = after(...happened);
      const json = JSON.stringify(storedStatus(status));
      expect(statusIn(JSON.parse(json) as StoredStatus)).to.deep.equal(status);
    });
    fc.assert(property);
  });

  it('is read of a release that knew of no marks', () => {
    const { marks, ...stored } = storedStatus(after(served(1)));
    expect(marks).to.deep.equal([]);
    expect(statusIn(stored)).to.deep.equal(after(served(1)));
  });

  it('keeps an earlier version that is served while this one is filled', () => {
    const status = after(seen(4, 9));
    expect(statusIn(storedStatus(status))).to.deep.equal(status);
  });

  it('stores the first hundred marks of many', () => {
    const many = Array.from({ length: 101 }, (_, n): Mark => {
      const revision = { schema: null, revision: n, position: at(n + 1) };
      return { stream: `user-${n}`, type: 'Odd', reason: 'it is odd', ...revision };
    });
    const status = after({ type: 'served', progress: progress(1, 200, many) });
    expect(storedStatus(status).marks).to.deep.equal(many.slice(0, 100));
  });
});
