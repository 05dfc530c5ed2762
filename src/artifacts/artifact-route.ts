/** One artifact: a route of its own file, because its answers are remembered. */
import { makeLongText } from '../core/logs/long-texts.js';
import { invalidIn } from '../core/problem.js';
import { type Viewer } from '../authorization/viewer.js';
import { hasRevision, setValidators, VALIDATORS } from '../http/etag.js';
import { goneOf } from '../http/gone.js';
import { route, type Route } from '../http/route.js';
import { sendBegun } from '../http/send-json.js';
import { idParam, type IdParams } from '../http/validate.js';
import { artifactAsItWas, auditedArtifact, type Past } from './history/queries.js';
import { type ArtifactView } from './artifact-view.js';
import { readableTracker } from './authorize.js';
import { type ArtifactPorts } from './ports.js';
import { visibleArtifact } from './queries.js';
import { artifactJson } from './representation/artifact-json-cache.js';
import { digestOf, givenTexts, type GivenText, type NoteGiven } from './representation/given-texts.js';
import { lastingFor } from './representation/ingredients.js';
import { hasLong, onlyText } from './representation/in-slices.js';
import { responseCache } from './representation/answers/response-cache.js';
import { type Reading, type Representing } from './representation/reading.js';
import { artifactSchema } from './representation/schemas.js';
import * as schemas from './schemas.js';

type Holds = () => boolean | Promise<boolean>;

/** From its beginning to its last millisecond. */
const REST_OF_A_SECOND_MS = 999;
const NOT_MODIFIED =
  'An Etag. If it is the present one, and the service gave the reader no other answer with it, the status is 304.';

export function artifactRoute(ports: ArtifactPorts): Route<Viewer> {
  const remembered = responseCache<GivenText>('artifact', ports);
  const noteGiven = ports.early === undefined ? undefined : givenTexts(ports.clock);
  return route<Viewer, IdParams, schemas.OneQuery>({
    method: 'GET',
    path: '/artifacts/:id',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'Get an artifact.',
    description:
      'With `revision` or `at`, the answer is the artifact as it was. Its Etag is the one of that time. `reverse_links` is empty, and the sum of a `computed` field is null. Links to artifacts that were deleted since are left out.',
    params: idParam('artifact'),
    query: schemas.oneQuery,
    headers: { 'If-None-Match': NOT_MODIFIED },
    responses: { 200: { description: 'The artifact', schema: artifactSchema, headers: VALIDATORS } },
    async handle({ ctx, params, query, viewer }) {
      const when = pastOf(query);
      const shape = {
        values: query.values_format || 'collection',
        completeTracker: query.tracker_structure_format === 'complete',
        past: when !== undefined,
      };
      const answer = async () => {
        const reading = { ...ports, viewer, gone: goneOf(ctx) };
        if (when !== undefined) return made(reading, await artifactAsItWas(params.id, when, reading));
        const short = await shortArtifact(params.id, reading);
        if (short !== null) return made(reading, short);
        return longArtifact(params.id, reading, (found) => made(reading, found));
      };
      const made = async (reading: Representing & ArtifactPorts, { artifact }: Found) => {
        const lasting = when === undefined ? await lastingFor(artifact, reading) : {};
        const { revision, lastUpdateOn: lastModified } = artifact;
        const text = await onlyText(artifactJson([artifact], reading, shape));
        // Judged after its text was made, which may have to wait.
        if (when === undefined) readableTracker(artifact, ports.definitions, viewer);
        else await auditedArtifact(params.id, reading);
        const facts = { revision, lastModified, digest: noteGiven ? digestOf(text) : null };
        return { parts: [text], rest: null, facts, ...lasting };
      };
      const question = `${params.id} ${shape.values} ${query.tracker_structure_format}`;
      const asked = when === undefined ? remembered(question, { viewer }, answer) : answer();
      const { facts, stillHolds, ...begun } = await asked;
      setValidators(ctx, facts);
      const isOnlyText = when === undefined ? noting(nameOf(question, viewer), facts, noteGiven) : undefined;
      const isConfirmed = isOnlyText?.() === true && hasRevision(ctx, facts.revision);
      if (isConfirmed) ctx.status = 304;
      else sendBegun(ctx, begun);
      ctx.state.stillHolds = isConfirmed ? both(stillHolds, isOnlyText) : stillHolds;
    },
  });
}

interface Found {
  readonly artifact: ArtifactView;
}

/** Null if it is long: that one is read in the turn of its text, so that who waits for the turn does not hold it. */
async function shortArtifact(id: number, reading: Reading): Promise<Found | null> {
  const { artifact } = await visibleArtifact(id, reading);
  return hasLong([artifact]) ? null : { artifact };
}

const longArtifact = <T>(id: number, reading: Reading, make: (found: Found) => Promise<T>): Promise<T> =>
  makeLongText(async () => make(await visibleArtifact(id, reading)), reading.gone, { isAlone: true });

// Functions of their own, because these are kept: within the route they would keep the request with them.

const noting = (name: string, facts: GivenText, noteGiven: NoteGiven | undefined) => (): boolean =>
  noteGiven?.(name, facts) === true;

/** A text may be the present one again, after another with the same tag. */
const both = (stillHolds: Holds | undefined, isOnlyText: () => boolean): Holds | undefined =>
  stillHolds && (async () => (await stillHolds()) && isOnlyText());

const nameOf = (question: string, viewer: Viewer): string => `${viewer.user?.id ?? 'anonymous'} ${question}`;

/** Instants are shown without fractions: such a one stands for its whole second. */
function pastOf({ revision, at }: schemas.OneQuery): Past | undefined {
  if (revision !== undefined && at !== undefined) {
    throw invalidIn('at', 'Ask for the artifact either as of a "revision" or "at" an instant');
  }
  if (revision !== undefined) return { revision };
  return at === undefined ? undefined : { at: new Date(Date.parse(at) + (at.includes('.') ? 0 : REST_OF_A_SECOND_MS)) };
}
