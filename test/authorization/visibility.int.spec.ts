import { expect } from 'chai';
import fc from 'fast-check';
import { mountedOf } from '../../src/composition/http-server.js';
import { runService, type RunningService } from '../support/service.js';
import { idsOf, label, type Ids } from './ids.js';
import { type Question } from './questions.js';
import { ofArtifact, readingQuestions } from './reading-questions.js';
import { endingQuestions, writingQuestions } from './writing-questions.js';
import { fill } from './twin-artifacts.js';
import { ALL, define, shownTo, suspend } from './twins.js';
import { READERS, sightOf, world, type Reader, type Sight, type World } from './world.js';

const user = (username: string): string =>
  `  - { username: ${username}, real_name: ${username}, email: ${username}@example.org, password: "${username}'s password"` +
  `, site_admin: ${['maker', 'root'].includes(username)} }`;

const PLATFORM = `
settings: { anonymous_access: true, artifact_deletion_limit: 1000 }
users:
${['maker', ...READERS.filter((reader) => reader !== 'anonymous')].map(user).join('\n')}
`;

/** On servers every write takes its time. */
const RUNS = Number(process.env['VISIBILITY_RUNS'] ?? ((process.env['TEST_STORES'] ?? '') === '' ? 5 : 1));
/** How many answers are waited for at once. */
const AT_ONCE = 8;

/** Routes in whose answers there can be nothing hidden, and why. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  'GET /': 'the same for everybody',
  'GET ': 'the same for everybody',
  'GET /documentation/*file': 'the same for everybody',
  'GET /api{/v1}/explorer': 'the same for everybody',
  'GET /api{/v1}/explorer/:asset': 'the same for everybody',
  'GET /openapi.json': 'the same for everybody',
  'GET /users': 'whoever has signed in may find every user',
  'GET /users/:id': 'users are hidden from nobody',
  'POST /tokens': 'about the one who signs in',
  'DELETE /tokens': 'about the one who asks',
  'DELETE /tokens/:token': 'about the one who asks',
  'POST /access_keys': 'about the one who asks',
  'GET /users/:id/access_keys': 'of the one who asks, as the spec of these routes shows',
  'GET /access_keys/:id': 'of the one who asks, as the spec of these routes shows',
  'DELETE /access_keys/:id': 'of the one who asks, as the spec of these routes shows',
  'POST /artifact_temporary_files': 'for no tracker yet',
  'GET /artifact_temporary_files': 'of the one who asks, as the spec of temporary files shows',
};

/** Bare routes take neither JSON nor give it. */
const BARE = /^\/(?:plugins|uploads)\//;
const UPLOADING = {
  'Tus-Resumable': '1.0.0',
  'Content-Type': 'application/offset+octet-stream',
  'Upload-Offset': '0',
};

interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | null>>;
}

const HEADERS = [
  'etag',
  'allow',
  'location',
  'retry-after',
  'content-disposition',
  'x-disk-usage',
  ...['limit', 'remaining'].map((name) => `x-ratelimit-${name}`),
  ...['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((name) => `x-pagination-${name}`),
];

describe('what a reader may not see', () => {
  let [whole, twin]: RunningService[] = [];
  before(async () => {
    [whole, twin] = await Promise.all([runService({ platform: PLATFORM }), runService({ platform: PLATFORM })]);
  });
  after(() => Promise.all([whole!.stop(), twin!.stop()]));

  async function ask(api: RunningService, { method, path, body }: Question, reader: Reader): Promise<Said> {
    const as = reader === 'anonymous' ? {} : { as: reader };
    if (BARE.test(path)) {
      const signedIn = reader === 'anonymous' ? {} : await api.signIn(reader);
      const answer = await fetch(`${api.url}${path}`, { method, headers: { ...signedIn, ...UPLOADING } });
      return { status: answer.status, text: await answer.text(), headers: told(api, answer.headers) };
    }
    const {
      status,
      headers,
      body: answer,
    } = await api.request(method, path, { ...as, ...(body !== undefined && { body }) });
    const text = timeless(JSON.stringify(answer ?? null).replaceAll(api.url, ''));
    return { status, text, headers: told(api, headers) };
  }

  async function compare(question: Question, reader: Reader, hidden: readonly string[]): Promise<void> {
    const [said, expected] = await Promise.all([ask(whole!, question, reader), ask(twin!, question, reader)]);
    const about = `${reader}: ${question.method} ${question.path} ${JSON.stringify(question.body ?? null)}`;
    const { outOfReach } = question;
    const different = outOfReach === undefined ? difference(said, expected) : null;
    if (different !== null) expect.fail(`${about}: ${different}`);
    if (outOfReach !== undefined) {
      expect([said.status, said.headers['etag']], `${about} ${said.text}`).to.deep.equal([outOfReach, null]);
    }
    const named = hidden.filter((word) => said.text.includes(word));
    expect(named, `${about} ${said.text}`).to.deep.equal([]);
  }

  async function compareAll(questions: readonly Question[], reader: Reader, hidden: readonly string[]): Promise<void> {
    for (let at = 0; at < questions.length; at += AT_ONCE) {
      await Promise.all(questions.slice(at, at + AT_ONCE).map((question) => compare(question, reader, hidden)));
    }
  }

  it('changes no answer: each is that of a service in which nothing of it ever was', async () => {
    let turn = 0;
    const property = fc.asyncProperty(world, fc.constantFrom(...READERS), async (given, reader) => {
      turn += 1;
      const [ids, sight] = [idsOf(turn), sightOf(given, reader)];
      const shown = shownTo(sight);
      const [filled, same] = await Promise.all([
        define(whole!, given, ids, ALL).then(() => fill(whole!, given, ids, ALL)),
        define(twin!, given, ids, shown).then(() => fill(twin!, given, ids, shown)),
      ]);
      expect(filled).to.deep.equal(same);

      const asking = { world: given, ids, sight, filled, reader };
      const hidden = hiddenWords(given, ids, sight);
      await compareAll(readingQuestions(asking), reader, hidden);
      for (const question of writingQuestions(asking)) await compare(question, reader, hidden);
      const left = given.artifacts.flatMap((_, artifact) => ofArtifact(artifact, asking).slice(0, 3));
      await compareAll(left, reader, hidden);
      for (const question of endingQuestions(asking)) await compare(question, reader, hidden);
      await compareAll(left, reader, hidden);
      await Promise.all([suspend(whole!, ids, ALL), suspend(twin!, ids, shown)]);
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });

  it('is asked for on every route but those that cannot tell of it', () => {
    const { routes, bareRoutes } = mountedOf(whole!.serving);
    const mounted = [
      ...routes.map(({ method, path }) => `${method} ${path}`),
      ...bareRoutes.flatMap(({ methods, path }) => Object.keys(methods).map((method) => `${method} ${path}`)),
    ];
    const asked = questionsOfSome().map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
    const isAsked = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replaceAll(/:[a-z]+/g, '[^/]+')}$`);
      return asked.some((question) => pattern.test(question));
    };
    expect(mounted.filter((route) => !isAsked(route))).to.have.members(Object.keys(NOT_ASKED));
  });
});

/** Of any world: what is asked does not depend on it. */
function questionsOfSome(): readonly Question[] {
  const [given] = fc.sample(world, { numRuns: 1, seed: 1 });
  const ids = idsOf(0);
  const filled = { artifacts: given!.artifacts.map((_, turn) => turn + 1), files: [1], repositories: [1, 2] };
  const asking = { world: given!, ids, sight: sightOf(given!, 'member'), filled, reader: 'member' } as const;
  return [...readingQuestions(asking), ...writingQuestions(asking), ...endingQuestions(asking)];
}

/** A tag of a text says no more than the text, and differs by what that says of times. */
const TEXT_TAG = /^"[\w-]{43}"$/;

const told = (api: RunningService, headers: Headers): Said['headers'] =>
  Object.fromEntries(
    HEADERS.map((name) => [name, headers.get(name)?.replace(api.url, '').replace(TEXT_TAG, 'of the text') ?? null]),
  );

/** Short, because a difference of long texts takes mocha minutes to show. */
function difference(said: Said, expected: Said): string | null {
  const [one, other] = [JSON.stringify(said), JSON.stringify(expected)];
  if (one === other) return null;
  const at = Math.max(0, Array.from(one).findIndex((character, index) => character !== other[index]) - 100);
  return `${one.slice(at, at + 300)}\ninstead of ${other.slice(at, at + 300)}`;
}

/** What clients parse for no workflow and, as they were promised, for one that governs a field they may not read. */
const NO_WORKFLOW = /"workflow":\{"field_id":0,"is_used":"0",.*?"transitions":\[\]\}/g;

/** Instants of today, and places in the log, of which the whole world has more. Dates that fields hold are older. */
const timeless = (text: string): string =>
  text
    .replaceAll(NO_WORKFLOW, '"workflow":null')
    .replaceAll(/"20\d\d-\d\d-\d\dT[^"]*"/g, '"INSTANT"')
    .replaceAll(/"position":"[^"]*"/g, '"position":"POSITION"');

/** Labels and titles of all that is not to be seen. */
function hiddenWords(given: World, ids: Ids, sight: Sight): readonly string[] {
  const fields = given.trackers.flatMap(({ fields: all }, index) =>
    all.filter(({ name }) => !sight.tracker(index) || !sight.field(index, name)).map(({ name }) => ({ index, name })),
  );
  return [
    ...[true].filter((side) => !sight.project(side)).map((side) => label('project', ids.project(side))),
    ...[true].filter((side) => !sight.project(side)).map((side) => label('testers', ids.project(side))),
    ...[true].filter((side) => !sight.project(side)).map((side) => label('repository', ids.project(side))),
    ...given.trackers.flatMap((_, index) => (sight.tracker(index) ? [] : [label('tracker', index)])),
    ...given.trackers.flatMap((_, index) => (sight.administers(index) ? [] : [label('report', index, 'false')])),
    ...fields.map(({ index, name }) => label('field', index, name)),
    ...fields.flatMap(({ index, name }) => [0, 1, 2].map((value) => label(name, index, value))),
    ...given.artifacts.flatMap((_, turn) => (sight.artifact(turn) ? [] : [label('title', turn)])),
    ...given.artifacts.flatMap(({ tracker }, turn) => (sight.field(tracker, 'note') ? [] : [label('note', turn)])),
  ];
}
