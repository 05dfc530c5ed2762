import { expect } from 'chai';
import fc from 'fast-check';
import { artifacts as projection } from '../../../projections/artifacts.js';
import { files } from '../../../projections/files.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { commentId, commentViews, phraseOf } from '../../../src/artifacts/comment-view.js';
import { artifactsOf, type ArtifactSearch } from '../../../src/artifacts/queries.js';
import { recounted, trackerCounts, type TrackerCounts } from '../../../src/artifacts/tracker-count-view.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { Problem } from '../../../src/core/problem.js';
import { type Position } from '../../../src/core/event-log.js';
import { fileViews } from '../../../src/files/file-view.js';
import { type Change, type Projection } from '../../../src/core/projection.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { at, type OpenedReadModels } from './read-models-fixture.js';
import { filter } from './filter-model.js';
import { query, type Meaning } from './tql-model.js';
import {
  artifacts,
  definitions,
  FILES,
  NOW,
  READERS,
  sees,
  tracker,
  type KnownArtifact,
  type World,
} from './tql-world.js';

/** Further ones may be more than a query may hold. */
const MOST_TERMS = 18;

/** A query or a filter, and what it means. */
interface Question extends Pick<Meaning, 'namesSecret' | 'holds'> {
  readonly text: string;
  readonly search: Pick<ArtifactSearch, 'filter' | 'expert'>;
}

const expert: fc.Arbitrary<Question> = query
  .filter(({ terms }) => terms <= MOST_TERMS)
  .map((meaning) => ({ ...meaning, search: { expert: { text: meaning.text, now: NOW } } }));

const filtered: fc.Arbitrary<Question> = filter.map((members) => {
  const asked = Object.fromEntries(members.map(({ name, json }) => [name, json]));
  return {
    text: JSON.stringify(asked),
    search: { filter: asked },
    namesSecret: members.some(({ name }) => name === 'secret'),
    holds: (artifact) => members.every(({ holds }) => holds(artifact)),
  };
});

export function itFindsWhatQueriesSay(open: () => Promise<OpenedReadModels>, numRuns: number): void {
  itFindsWhat('an expert query', expert, open, numRuns);
  itFindsWhat('a filter', filtered, open, 4 * numRuns);
}

function itFindsWhat(
  what: string,
  question: fc.Arbitrary<Question>,
  open: () => Promise<OpenedReadModels>,
  numRuns: number,
): void {
  it(`finds what ${what} says, of what the reader may see`, async () => {
    const asked = fc.array(fc.tuple(question, fc.constantFrom(...READERS)), { minLength: 12, maxLength: 12 });
    let runs = 0;
    const property = fc.asyncProperty(artifacts, asked, async (all, questions) => {
      const opened = await open();
      runs += 1;
      await fill(opened, all, at(runs));
      for (const [meaning, reader] of questions) await expectMeant(opened.models, meaning, { artifacts: all, reader });
      await opened.close();
    });
    await fc.assert(property, { numRuns, endOnFailure: true });
  });
}

async function fill(opened: OpenedReadModels, all: readonly KnownArtifact[], position: Position): Promise<void> {
  const changes = all.map((document): Change => ({ model: artifactViews, id: document.id, document, position }));
  const ofTracker = all.filter(({ trackerId }) => trackerId === tracker.id);
  const counts = ofTracker.reduce<TrackerCounts | null>(
    (known, each) => recounted(known, { id: tracker.id, types: { 513: 'perm' } }, null, each),
    null,
  );
  const counted: readonly Change[] =
    counts === null ? [] : [{ model: trackerCounts, id: tracker.id, document: counts, position }];
  const commented = all.flatMap((document) => commentsOf(document, position));
  await serve(opened, projection, [...counted, ...commented, ...changes], position);
  const attached = FILES.map((document): Change => ({ model: fileViews, id: document.id, document, position }));
  await serve(opened, files, attached, position);
}

const commentsOf = ({ id: artifactId, trackerId, comments }: KnownArtifact, position: Position): readonly Change[] =>
  comments.flatMap((text, revision) => {
    const words = phraseOf({ text, format: 'text' });
    const id = commentId(artifactId, revision);
    return words === null ? [] : [{ model: commentViews, id, document: { id, trackerId, words }, position }];
  });

async function serve(
  { store, models, tell }: OpenedReadModels,
  { name, version, models: names }: Pick<Projection, 'name' | 'version' | 'models'>,
  changes: readonly Change[],
  position: Position,
): Promise<void> {
  const run = await store.open(name, names, version);
  await store.commit(name, run, changes, { version, position, event: 'event-1' });
  expect(await store.serve(name, run)).to.equal(true);
  tell({ projection: name, generation: run, position, models: names });
  if (!(await models.caughtUp(name, position, 30_000))) throw new Error('Readers do not see what was written');
}

async function expectMeant(readModels: ReadModels, meaning: Question, world: World): Promise<void> {
  const reading = { readModels, definitions, viewer: viewer(definitions, world.reader) };
  const search = { ...meaning.search, since: {}, direction: 'asc', limit: 100, offset: 0 } as const;
  const answer = await artifactsOf(tracker, search, reading).catch((reason: unknown) => reason);
  const who = `${world.reader?.username ?? 'anonymous'}: ${meaning.text}`;
  if (meaning.namesSecret && world.reader?.username !== 'pam') {
    expect(answer, who)
      .to.be.instanceOf(Problem)
      .with.property('message')
      .that.matches(/Unknown field "secret"|These fields do not exist: secret$/);
    return;
  }
  if (answer instanceof Error) throw answer;
  const meant = world.artifacts
    .filter((each) => each.trackerId === tracker.id && sees(world.reader, each) && meaning.holds(each, world))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  const { items, rest, total } = answer as Awaited<ReturnType<typeof artifactsOf>>;
  expect([...items.map(({ id }) => id), ...rest], who).to.deep.equal(meant);
  expect(total, who).to.equal(meant.length);
}
