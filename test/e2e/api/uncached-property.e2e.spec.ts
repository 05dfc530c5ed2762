import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { type Service } from '../../../src/composition/service.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { client, type Answer, type Client } from '../../support/client.js';

/** On servers every write takes its time. */
const isEmbedded = (process.env['TEST_STORES'] ?? '') === '';
const RUNS = Number(process.env['TEST_RUNS'] ?? (isEmbedded ? 2 : 1));

/** A second tracker of bugs, without a computed field: what an answer about a task is made of is compared. */
function withTasks(platform: string): string {
  const from = platform.indexOf('      - item_name: bug');
  const to = platform.indexOf('      - item_name: note');
  const tasks = platform
    .slice(from, to)
    .replace('item_name: bug', 'item_name: task')
    .replace('label: Bugs', 'label: Tasks')
    .replace(/ +- \{ name: remaining.*\n/, '')
    .replace(/ +workflow:[\s\S]*$/, '');
  return platform.slice(0, to) + tasks + platform.slice(to);
}

/** What is left out of the file stays as it is. */
const PLATFORM = withTasks(readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8'))
  .replace('name: remaining, label: Remaining, type: computed', 'name: effort, label: Sum, type: computed')
  .replace('              - { name: effort, label: Effort, type: float }\n', '')
  .replace('label: Hydra\n', 'label: Hydra\n    access: public\n')
  .replace('label: Vault\n', 'label: Vault\n    status: active\n')
  .replace('real_name: Dave Dunn,', 'real_name: Dave Dunn, status: active,');

const SWITCHES = [
  ['label: Title, type: string, required', 'label: Heading, type: string, required'],
  ['{ label: Open }', '{ label: Open, color: deep-blue }'],
  ['label: Developers', 'label: Makers'],
  ['    access: private\n    members: [carol]', '    access: public\n    members: [carol]'],
  ['label: Hydra\n    access: public', 'label: Lernaia\n    access: private'],
  ['label: Tasks', 'label: Chores'],
  ['Carol Clark', 'Carol Clarke'],
  ['real_name: Dave Dunn, status: active', 'real_name: Dave Dunn, status: suspended'],
  ['label: Attachments, type: file', 'label: Attachments, type: file, permissions: { read: [developers] }'],
  ['name: tags\n', 'name: tags\n                permissions: { read: [project_members] }\n'],
  ['label: Links, type: art_link', 'label: Links, type: art_link, permissions: { read: [project_members] }'],
  ['open: [New, Open]', 'open: [Open]'],
  ['title: title\n          description', 'title: secret\n          description'],
  ['admins: [bob]', 'admins: []'],
  ['members: [bob, carol]', 'members: [bob, carol, dave]'],
  ['Developers, members: [bob]', 'Developers, members: [bob, dave]'],
  ['anonymous_access: true', 'anonymous_access: false'],
  ['label: Sum, type: computed', 'label: Sum, type: computed, permissions: { read: [project_members] }'],
  ['status: active\n', 'status: suspended\n'],
] as const;
/** Nothing is written to a project then. */
const SUSPENDED = SWITCHES.length - 1;

const READERS = ['alice', 'bob', 'dave', undefined];
const TRACKERS = ['task', 'task', 'task', 'bug', 'bug', 'note', 'case'] as const;

const KINDS = ['list', 'open list', 'people', 'number', 'file', 'no file', 'limit', 'unlimit', 'text'] as const;
const which = fc.nat(TRACKERS.length - 1);
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constantFrom(...KINDS), which, to: which }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('link', 'child', 'child', 'unlink'), which, to: which }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('delete', 'rebuild', 'prune'), which, to: which }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('switch'), which: fc.nat(SWITCHES.length - 1), to: which }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** The same service, in which nothing stays the same: no cache gives anything again. */
function uncached(service: Service): Service {
  let asked = 0;
  const readModels = { ...service.readModels, state: () => undefined, stamp: () => Promise.resolve(undefined) };
  const definitions = { ...service.definitions };
  Object.defineProperty(definitions, 'generation', { get: () => String((asked += 1)) });
  return { ...service, readModels, definitions };
}

describe('an answer out of any cache', () => {
  let api: FileApi;
  let other: Listening;
  let fresh: Client;
  before(async () => {
    api = await fileApi({ platform: PLATFORM });
    other = await serve({ ...api.serving, service: uncached(api.service) });
    fresh = client(`http://127.0.0.1:${other.port}`);
    // A suspended user cannot sign in.
    for (const from of [api, fresh]) for (const as of READERS) await ask(from, '/users/self', as);
  });
  after(async () => {
    await other.close(1000);
    await api.stop();
  });

  const ids: number[] = [];
  const deleted: number[] = [];
  const switched = new Set<number>();
  const applied = async (from = PLATFORM): Promise<void> => {
    const text = SWITCHES.reduce((whole, [a, b], at) => (switched.has(at) ? whole.replaceAll(a, b) : whole), from);
    await api.operate('apply', { text, prune: true, env: {} });
  };
  const made = (tracker: string) => api.created([], { as: 'alice', tracker });

  async function carryOut({ type, which: at, to }: Command): Promise<void> {
    const [id, end, tracker = ''] = [ids[at]!, ids[to]!, TRACKERS[at]];
    if (type !== 'switch' && switched.delete(SUSPENDED)) await applied();
    const change = async (name: string, value: object): Promise<void> => {
      await api.changed(id, [api.set(name, { ...value }, tracker)], { as: 'alice' });
    };
    const isWhole = ['bug', 'task'].includes(tracker);
    const link = (of: string): Promise<void> => change('links', { links: end === id ? [] : [{ id: end, type: of }] });
    const some = <T>(...values: readonly T[]): T => values[to % values.length]!;
    const group = api.service.definitions.projectNamed('hydra')!.groups[0]!.id;
    const sum = (value: number): object =>
      value % 2 === 0 ? { is_autocomputed: true } : { is_autocomputed: false, manual_value: value };
    const whole: Readonly<Record<string, () => Promise<void>>> = {
      list: () => change('severity', { bind_value_ids: [api.value(tracker, 'severity', some('Minor', 'Major'))] }),
      'open list': () => change('tags', { bind_value_ids: ['urgent', `of my own ${to}`] }),
      people: () => change('assigned_to', { bind_value_ids: [api.user(some('bob', 'carol'))] }),
      number: () => change('effort', tracker === 'bug' ? sum(to) : { value: to }),
      file: async () => change('attachments', { value: [await api.uploaded('hello', 'alice')] }),
      'no file': () => change('attachments', { value: [] }),
      limit: () => change('readers', { value: { is_used_by_default: true, granted_groups: [`${group}`] } }),
      unlimit: () => change('readers', { value: { is_used_by_default: false, granted_groups: [] } }),
      text: () => change('description', { value: { content: `*${to}*`, format: some('text', 'commonmark', 'html') } }),
    };
    const ways: Readonly<Record<string, () => Promise<void>>> = {
      link: () => link(''),
      child: () => link('_is_child'),
      unlink: () => change('links', { links: [] }),
      delete: async () => {
        await api.deleted(id);
        deleted.push(id);
        ids[at] = await made(tracker);
      },
      rebuild: async () => {
        await api.operate('rebuild', { names: [] });
      },
      prune: async () => {
        const from = PLATFORM.indexOf('      - item_name: case');
        const upTo = PLATFORM.indexOf('  - shortname: frozen');
        await applied(PLATFORM.slice(0, from).replace(/ +trackers:\n$/, '') + PLATFORM.slice(upTo));
        await applied();
        deleted.push(ids.at(-1)!);
        ids[TRACKERS.length - 1] = await made('case');
      },
      switch: async () => {
        if (!switched.delete(at)) switched.add(at);
        await applied();
      },
    };
    await (ways[type] ?? (isWhole ? whole[type] : undefined))?.();
  }

  function paths(): readonly string[] {
    const { definitions } = api.service;
    const hydra = definitions.projectNamed('hydra')!.id;
    const trackers = ['task', 'bug', 'case'].map((name) => api.tracker(name));
    return [
      ...[...ids, ...deleted.slice(-2)].flatMap((id) => [`/artifacts/${id}`, `/artifacts/${id}?values_format=all`]),
      ...trackers.flatMap((id) => [
        `/trackers/${id}`,
        `/trackers/${id}/artifacts?values=all`,
        `/trackers/${id}/parent_artifacts`,
      ]),
      `/tracker_fields/${api.field('task', 'tags')}/values`,
      `/projects/${hydra}/trackers?representation=minimal`,
      '/projects',
      '/users/self',
      `/artifacts/${ids[0]}?tracker_structure_format=complete`,
    ];
  }

  const told = ({ status, headers, body }: Answer): unknown => ({
    status,
    body: body as unknown,
    headers: ['etag', 'last-modified', 'x-pagination-size'].map((name) => headers.get(name)),
  });
  const ask = (from: Client, path: string, as: string | undefined): Promise<Answer> =>
    from.get(path, as === undefined ? {} : { as });

  async function each(work: (path: string, as: string | undefined) => Promise<unknown>): Promise<void> {
    await Promise.all(paths().flatMap((path) => READERS.map((as) => work(path, as))));
  }

  it('is the one that would be made without any, after any changes', async function () {
    this.timeout(3_000_000);
    const commands = fc.array(command, { minLength: 4, maxLength: 16 });
    const property = fc.asyncProperty(commands, async (taken) => {
      switched.clear();
      await applied();
      ids.length = 0;
      deleted.length = 0;
      for (const tracker of TRACKERS) ids.push(await made(tracker));
      for (const [nth, one] of taken.entries()) {
        await carryOut(one);
        // What a service makes without caches takes the place of some that are kept: they live for two commands.
        const given = new Map<string, unknown>();
        await each(async (path, as) => given.set(`${path} ${as}`, told(await ask(api, path, as))));
        if (nth % 2 === 0 && nth < taken.length - 1) continue;
        await each(async (path, as) => {
          expect(given.get(`${path} ${as}`), `${path} as ${as}`).to.deep.equal(told(await ask(fresh, path, as)));
        });
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });
});
