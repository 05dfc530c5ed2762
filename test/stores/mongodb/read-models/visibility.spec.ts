import { expect } from 'chai';
import { NO_MARKS } from '../../../../src/core/marks.js';
import fc from 'fast-check';
import { applyBatch } from '../../../../projections/engine/apply-batch.js';
import { type AnyProjection } from '../../../../projections/engine/generation-progress.js';
import { artifacts } from '../../../../projections/artifacts.js';
import { ARTIFACTS, artifactViews, type ArtifactDocument } from '../../../../src/artifacts/artifact-view.js';
import { numbersOf } from '../../../../src/trackers/field-types/canonical.js';
import { artifactVisibility, withTracker } from '../../../../src/artifacts/filter/filter.js';
import { type Event, type Position, type Recorded, type StreamName } from '../../../../src/core/event-log.js';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { type Criterion, type ReadModels } from '../../../../src/core/read-models.js';
import { viewer } from '../../../../src/authorization/viewer.js';
import { type CompiledTracker } from '../../../../src/trackers/compiled-tracker.js';
import { type Field } from '../../../../src/trackers/field-types/definition.js';
import { type UserView } from '../../../../src/users/user-view.js';
import { definitionsOf, fieldOf, groupOf, projectOf, trackerOf, userOf } from '../../../support/definitions.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { place } from './fixture.js';
import { at, everything } from '../../contracts/read-models-fixture.js';

const users = [115, 116, 117, 118].map((id) => userOf(id));
const project = projectOf({
  groups: [groupOf(105, { members: [115, 117] }), groupOf(106, { members: [116, 117] })],
});
const TRACKERS = [51, 52];
/** Two lists, a file and three perm fields, one of them in a fieldset. */
const form = (tracker: number, used: readonly boolean[] = []): readonly Field[] => {
  const id = (n: number): number => tracker * 10 + n;
  const perm = (n: number): Field => fieldOf(id(n), 'perm', { used: used[n] ?? true });
  const set = fieldOf(id(0), 'fieldset', { fields: [fieldOf(id(4), 'msb'), perm(1)] });
  return [set, perm(2), perm(3), fieldOf(id(5), 'file'), fieldOf(id(6), 'sb')];
};

const groups = fc.option(fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 105, 106), { maxLength: 2 }));
const list = fc.option(fc.uniqueArray(fc.constantFrom(1, 2, 3), { maxLength: 2 }));
const file = fc.uniqueArray(fc.integer({ min: 1000, max: 1010 }), { maxLength: 2 });
const id = fc.integer({ min: 1, max: 8 });
const tracker = fc.constantFrom(...TRACKERS);
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      id,
      tracker,
      values: fc.record({ 1: groups, 2: groups, 3: groups, 4: list, 5: file, 6: list }, { requiredKeys: [] }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('form' as const),
      tracker,
      used: fc.array(fc.boolean(), { maxLength: 4 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What would be in the log: a tracker stands before its artifacts, which change once they are there, until they are not. */
class History {
  readonly events: Recorded[] = [];
  readonly forms = new Map(TRACKERS.map((tracker) => [tracker, form(tracker)]));
  readonly #trackers = new Map<number, number>();
  readonly #deleted = new Set<number>();
  readonly #revisions = new Map<StreamName, number>();

  constructor(steps: readonly Step[]) {
    for (const one of steps) this.#add(one);
  }

  #add(one: Step): void {
    if (one.type === 'form') this.#changeForm(one.tracker, one.used);
    else if (one.type === 'write') this.#write(one);
    else this.#delete(one.id);
  }

  #changeForm(trackerId: number, used: readonly boolean[]): void {
    const fields = form(trackerId, used);
    this.forms.set(trackerId, fields);
    this.#happened(`tracker-${trackerId}`, { type: 'TrackerFieldsChanged', data: { trackerId, fields } });
  }

  #write({ id: artifactId, tracker: wanted, values: given }: Extract<Step, { type: 'write' }>): void {
    if (this.#deleted.has(artifactId)) return;
    const known = this.#trackers.get(artifactId);
    const trackerId = known ?? wanted;
    this.#trackers.set(artifactId, trackerId);
    const values = Object.fromEntries(Object.entries(given).map(([n, value]) => [`${trackerId}${n}`, value]));
    const type = known === undefined ? 'ArtifactSubmitted' : 'ArtifactValuesChanged';
    this.#happened(`artifact-${artifactId}`, { type, data: { artifactId, trackerId, values } });
  }

  #delete(artifactId: number): void {
    const trackerId = this.#trackers.get(artifactId);
    if (trackerId === undefined || this.#deleted.has(artifactId)) return;
    this.#deleted.add(artifactId);
    this.#happened(`artifact-${artifactId}`, { type: 'ArtifactDeleted', data: { artifactId, trackerId } });
  }

  #happened(stream: StreamName, event: Event): void {
    const revision = (this.#revisions.get(stream) ?? -1) + 1;
    this.#revisions.set(stream, revision);
    const position = at(this.events.length + 1);
    const metadata = { at: '2026-01-01T00:00:00.000Z', actor: null, schema: 1, commandId: 'c' };
    this.events.push({ ...event, id: `e ${position}`, stream, revision, position, metadata });
  }
}

forEachMongoDb('artifacts that not everybody may see', ({ name, url }) => {
  it('are found by those whom the rules let see them, whatever happened to them and their trackers', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), sizes, async (steps, given) => {
      const { events, forms } = new History(steps);
      const own = place(url());
      const reader = await own.reader();
      await fill(await own.worker(), reader, events, given);
      for (const [trackerId, fields] of forms) {
        const definition = trackerOf(fields, { id: trackerId });
        for (const user of users) await agrees(reader, definition, user);
      }
      await own.close();
    });
    await fc.assert(property, { numRuns: name === 'ferretdb' ? 4 : 25, endOnFailure: true });
  });
});

async function fill(
  store: ReadModelStore,
  reader: ReadModels,
  events: readonly Recorded[],
  sizes: readonly number[],
): Promise<void> {
  const projection: AnyProjection = artifacts;
  const run = await store.open(ARTIFACTS, artifacts.models, artifacts.version);
  await store.serve(ARTIFACTS, run);
  let position: Position | null = null;
  for (let turn = 0, from = 0; from < events.length; turn += 1) {
    const part = events.slice(from, from + (sizes[turn % sizes.length] ?? 1));
    from += part.length;
    const last = part.at(-1)!;
    const batch = { events: part, position: last.position, event: last.id };
    const applied = await applyBatch(
      { store, projection },
      { generation: run, position, event: null, marks: NO_MARKS },
      batch,
    );
    expect(applied.poison).to.equal(null);
    position = applied.position;
  }
  expect(await store.verify(ARTIFACTS, run, artifacts.models)).to.deep.equal([]);
  if (position !== null) expect(await reader.caughtUp(ARTIFACTS, position, 30_000)).to.equal(true);
}

/** Of all artifacts of a tracker, and of those with some values in its list. */
async function agrees(reader: ReadModels, definition: CompiledTracker, user: UserView): Promise<void> {
  const trackers = [definition];
  const reading = viewer(definitionsOf({ users, projects: [project], trackers }), user);
  const list = `${definition.id}4`;
  const all = (await reader.getMany(artifactViews, [1, 2, 3, 4, 5, 6, 7, 8]))
    .filter((artifact) => artifact.trackerId === definition.id && reading.canSeeArtifact(artifact))
    .toSorted((a, b) => a.id - b.id);
  for (const asked of [null, [1], [1, 3]]) {
    const status: readonly Criterion[] = asked === null ? [] : [{ type: 'any-of', key: `f${list}`, values: asked }];
    const where = [...withTracker(status, definition.id), ...artifactVisibility(definition, project, reading)];
    const isMeant = ({ values }: ArtifactDocument): boolean =>
      asked === null || numbersOf(values[list]).some((value) => asked.includes(value));
    const ids = all.filter(isMeant).map((artifact) => artifact.id);
    const page = await reader.find(artifactViews, { ...everything, where });
    expect([page.items.map((item) => item.id), page.total]).to.deep.equal([ids, ids.length]);
    const { total } = await reader.find(artifactViews, { ...everything, where, limit: 0 });
    expect(total).to.equal(ids.length);
  }
}
