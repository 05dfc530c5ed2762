import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { artifactApi, type ArtifactApi } from '../../artifacts/artifact-api.js';

const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8');

const isEmbedded = (process.env['TEST_STORES'] ?? '') === '';
/** On servers every write takes its time. */
const RUNS = isEmbedded ? 3 : 1;

/** Names, permissions, groups: each in two states. */
const SWITCHES = [
  ['label: Title, type: string, required', 'label: Heading, type: string, required'],
  ['label: Bugs', 'label: Defects'],
  ['label: Hydra', 'label: Lernaia'],
  ['Carol Clark', 'Carol Clarke'],
  ['access: [all_users]', 'access: [project_members]'],
  ['label: Effort, type: float', 'label: Effort, type: float, permissions: { read: [project_members] }'],
  ['admins: [bob]', 'admins: []'],
  ['members: [bob, carol]', 'members: [bob, carol, dave]'],
  ['Developers, members: [bob]', 'Developers, members: [bob, dave]'],
  ['label: Notes', 'label: Remarks\n        permissions: { access: [project_members] }'],
] as const;

const READERS = ['alice', 'bob', 'dave', undefined];
const SHAPES = ['', '?values_format=all', '?tracker_structure_format=complete'];
const BUGS = 3;
/** The one after the bugs is a note. */
const trackerOf = (which: number): string => (which === BUGS ? 'note' : 'bug');

type Command =
  | { readonly type: 'retitle' | 'unlink' | 'limit' | 'delete'; readonly which: number }
  | { readonly type: 'link'; readonly which: number; readonly to: number }
  | { readonly type: 'switch'; readonly which: number };

const which = fc.nat(BUGS);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('link' as const), which, to: which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('retitle', 'unlink', 'limit', 'delete'), which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('switch' as const), which: fc.nat(SWITCHES.length - 1) }) },
);

describe('304 for any artifact and any reader', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  let switched = new Set<number>();
  const applied = async (): Promise<void> => {
    const text = SWITCHES.reduce(
      (whole, [from, to], at) => (switched.has(at) ? whole.replace(from, to) : whole),
      PLATFORM,
    );
    await api.operate('apply', { text, prune: true, env: {} });
  };

  async function carriedOut(ids: number[], done: Command): Promise<void> {
    const id = ids[done.which]!;
    const tracker = trackerOf(done.which);
    const change = async (...values: readonly unknown[]): Promise<void> => {
      await api.changed(id, values, { as: 'alice' });
    };
    const link = (to: readonly number[]): Promise<void> =>
      change(api.set('links', { links: to.filter((end) => end !== id).map((end) => ({ id: end })) }, tracker));
    const [group] = api.service.definitions.projectNamed('hydra')!.groups;
    const carryOut = {
      retitle: () => change(api.titled(`Title ${Math.random()}`, tracker)),
      link: () => link(done.type === 'link' ? [ids[done.to]!] : []),
      unlink: () => link([]),
      limit: async () => {
        if (tracker !== 'bug') return;
        await change(api.set('readers', { value: { is_used_by_default: true, granted_groups: [`${group!.id}`] } }));
      },
      delete: async () => {
        await api.deleted(id);
        ids[done.which] = await api.created([], { as: 'alice', tracker });
      },
      switch: async () => {
        if (!switched.delete(done.which)) switched.add(done.which);
        await applied();
      },
    };
    await carryOut[done.type]();
  }

  /** What was received, by reader, path and tag. */
  const received = new Map<string, Set<string>>();
  let confirmed = 0;

  /** Polls with the tag that was received last. */
  async function poll(path: string, as: string | undefined, tags: Map<string, string>): Promise<void> {
    const reader = `${as} ${path}`;
    const known = tags.get(reader);
    const by = as === undefined ? {} : { as };
    const polled = await api.get(path, { ...by, headers: known === undefined ? {} : { 'If-None-Match': known } });
    const { status, headers, body } = await api.get(path, by);
    const text = JSON.stringify(body);
    const tag = headers.get('etag') ?? '';
    if (polled.status === 304) {
      confirmed += 1;
      expect([status, tag], reader).to.deep.equal([200, known]);
      expect([...received.get(`${reader} ${tag}`)!], reader).to.deep.equal([text]);
    } else expect([polled.status, JSON.stringify(polled.body)], reader).to.deep.equal([status, text]);
    if (status !== 200) return;
    tags.set(reader, tag);
    received.set(`${reader} ${tag}`, (received.get(`${reader} ${tag}`) ?? new Set()).add(text));
  }

  async function pollAll(ids: readonly number[], tags: Map<string, string>): Promise<void> {
    const paths = ids.flatMap((id) => SHAPES.map((shape) => `/artifacts/${id}${shape}`));
    await Promise.all(paths.flatMap((path) => READERS.map((as) => poll(path, as, tags))));
  }

  it('is only answered where the reader would be given the text that they got with the tag, every time', async function () {
    this.timeout(300_000);
    const property = fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 16 }), async (commands) => {
      switched = new Set();
      await applied();
      const ids: number[] = [];
      const value = api.set('effort', { value: 2 });
      while (ids.length < BUGS) ids.push(await api.created([value], { as: 'carol' }));
      ids.push(await api.created([], { as: 'alice', tracker: 'note' }));
      const tags = new Map<string, string>();
      await pollAll(ids, tags);
      for (const each of commands) {
        await carriedOut(ids, each);
        await pollAll(ids, tags);
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    expect(confirmed > 0).to.equal(isEmbedded);
  });
});
