/** What may happen to artifacts that not every reader may see, and what has to come of it. */
import { expect } from 'chai';
import fc from 'fast-check';
import { applyBatch } from '../../../projections/engine/apply-batch.js';
import { type AnyProjection } from '../../../projections/engine/generation-progress.js';
import { recentDocuments } from '../../../projections/engine/recent-documents.js';
import { artifacts } from '../../../projections/artifacts.js';
import {
  artifactTrackerViews,
  artifactViews,
  fieldKey,
  type ArtifactDocument,
} from '../../../src/artifacts/artifact-view.js';
import { commentId, commentViews } from '../../../src/artifacts/comment-view.js';
import { visibleArtifacts } from '../../../src/artifacts/filter/visibility.js';
import { trackerCounts } from '../../../src/artifacts/tracker-count-view.js';
import { type Event, type Recorded, type StreamName } from '../../../src/core/event-log.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { type Generation, type ReadModelStore } from '../../../src/core/projection.js';
import { type Criterion, type Document, type ReadModel, type ReadModels } from '../../../src/core/read-models.js';
import { numbersOf } from '../../../src/trackers/field-types/canonical.js';
import { type CompiledTracker } from '../../../src/trackers/compiled-tracker.js';
import { type Field } from '../../../src/trackers/field-types/definition.js';
import { type UserView } from '../../../src/users/user-view.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { definitionsOf, fieldOf, groupOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';
import { projected } from '../../support/projected.js';
import { at, everything } from './read-models-fixture.js';

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
const IDS = [1, 2, 3, 4, 5, 6, 7, 8];
const id = fc.constantFrom(...IDS);
const tracker = fc.constantFrom(...TRACKERS);
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      id,
      tracker,
      values: fc.record({ 1: groups, 2: groups, 3: groups, 4: list, 5: file, 6: list }, { requiredKeys: [] }),
      comment: fc.constantFrom('', 'A word', 'Two words'),
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
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type Written = Extract<Step, { type: 'write' }>;
export const histories = (maxLength: number): fc.Arbitrary<History> =>
  fc.array(step, { maxLength }).map((steps) => new History(steps));
export const batchSizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });

/** What would be in the log: a tracker stands before its artifacts, which change once they are there, until they are not. */
export class History {
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

  #write({ id: artifactId, tracker: wanted, values: given, comment: text }: Written): void {
    if (this.#deleted.has(artifactId)) return;
    const known = this.#trackers.get(artifactId);
    const trackerId = known ?? wanted;
    this.#trackers.set(artifactId, trackerId);
    const values = Object.fromEntries(Object.entries(given).map(([n, value]) => [`${trackerId}${n}`, value]));
    const submitted = { artifactId, trackerId, values };
    const event =
      known === undefined
        ? { type: 'ArtifactSubmitted', data: submitted }
        : { type: 'ArtifactValuesChanged', data: { ...submitted, comment: { text, format: 'text' } } };
    this.#happened(`artifact-${artifactId}`, event);
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
    const metadata = { at: '2026-01-01T12:00:00.000Z', actor: null, schema: 1, commandId: 'c' };
    this.events.push({ ...event, id: `e ${position}`, stream, revision, position, metadata });
  }
}

/** As a runner does it: from the checkpoint on, in batches of these sizes. `onBatch` is called before each of them. */
export async function catchUp(
  store: ReadModelStore,
  run: Generation,
  history: readonly Recorded[],
  sizes: readonly number[],
  onBatch: (turn: number) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const projection: AnyProjection = artifacts;
  const recent = recentDocuments();
  const { position: before = null, event: last = null } = (await store.checkpoint(artifacts.name, run)) ?? {};
  let [position, event] = [before, last];
  for (let turn = 0; ; turn += 1) {
    const left = history.filter((one) => position === null || one.position > position);
    const events = left.slice(0, sizes[turn % sizes.length]);
    const end = events.at(-1);
    if (end === undefined) break;
    await onBatch(turn);
    const batch = { events, position: end.position, event: end.id };
    const progress = { generation: run, position, event, marks: NO_MARKS };
    const applied = await applyBatch({ store, projection, recent }, progress, batch);
    expect(applied.poison).to.equal(null);
    ({ position, event } = applied);
  }
  // Events that change nothing, since all is written already, move no checkpoint.
  await store.commit(artifacts.name, run, [], { version: artifacts.version, position, event });
}

/** Whatever cut it short, the documents are those that come of each event once. */
export async function expectProjected(
  store: ReadModelStore,
  run: Generation,
  { events }: Pick<History, 'events'>,
): Promise<void> {
  const once = projected(artifacts);
  for (const event of events) once.happened(event.stream, [event], event.metadata.at.slice(0, 10));
  const commentIds = events
    .map(({ data, revision }) => commentId((data as { artifactId: number }).artifactId, revision))
    .toSorted();
  const models: readonly (readonly [ReadModel<Document>, readonly (number | string)[]])[] = [
    [trackerCounts, TRACKERS],
    [commentViews, commentIds],
    [artifactViews, IDS],
    [artifactTrackerViews, TRACKERS],
  ];
  for (const [model, ids] of models) {
    const kept: Document[] = [];
    for await (const slice of store.documents(run, model.name)) {
      kept.push(...slice.map(({ body }) => JSON.parse(body) as Document));
    }
    expect(kept).to.deep.equal(ids.flatMap((id) => once.document(model, id) ?? []));
  }
  expect(await store.verify(artifacts.name, run, artifacts.models)).to.deep.equal([]);
}

/** Those whom the rules let see them find them, all of them or those with a value, on full pages with exact totals. */
export async function expectFound(models: ReadModels, { forms }: Pick<History, 'forms'>): Promise<void> {
  for (const [trackerId, fields] of forms) {
    const definition = trackerOf(fields, { id: trackerId });
    for (const user of users) await agrees(models, definition, user);
  }
}

async function agrees(models: ReadModels, definition: CompiledTracker, user: UserView): Promise<void> {
  const reading = viewer(definitionsOf({ users, projects: [project], trackers: [definition] }), user);
  const list = `${definition.id}4`;
  const all = (await models.getMany(artifactViews, IDS))
    .filter((artifact) => artifact.trackerId === definition.id && reading.canSeeArtifact(artifact))
    .toSorted((a, b) => a.id - b.id);
  for (const asked of [null, [1], [2], [1, 3]]) {
    const status: readonly Criterion[] =
      asked === null ? [] : [{ type: 'any-of', key: fieldKey(definition.id, list), values: asked }];
    const isMeant = ({ values }: ArtifactDocument): boolean =>
      asked === null || numbersOf(values[list]).some((value) => asked.includes(value));
    const ids = all.filter(isMeant).map((artifact) => artifact.id);
    const query = { ...everything, ...visibleArtifacts(status, definition, project, reading) };
    for (const limit of [1000, 1, 0]) {
      const page = await models.find(artifactViews, { ...query, limit });
      expect([page.items.map((item) => item.id), page.total]).to.deep.equal([ids.slice(0, limit), ids.length]);
    }
  }
}
