import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Position } from '../../../src/core/event-log.js';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { openValuesStream } from '../../../src/trackers/tracker-events.js';
import { runService, type RunningService } from '../../support/service.js';
import { exchange } from './exchange.js';
import { criterion, expected, POOLS, type Known, type Reader } from './filter-model.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, idsOf, type ArtifactJson, type TrackerJson } from './shapes.js';

const { WORDS, INTS, FLOATS, DAYS, INSTANTS } = POOLS;
const COUNT = 150;
const SEED = 20240305;

describe('any filter of any page for any reader', () => {
  let api: RunningService;
  let url: string;
  let artifacts: readonly ArtifactJson[];
  let fieldIds: ReadonlyMap<string, number>;
  let known: Known;
  let readers: readonly Reader[];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    url = `${api.url}/api/trackers/${api.tracker('item')}/artifacts`;
    const { admins, groups } = api.service.definitions.projectNamed('open')!;
    expect(admins).to.deep.equal([api.user('pam')]);
    const testers = groups[0]!.id;
    await submitAll(testers);

    const structure = await structureFor('pam');
    fieldIds = new Map(structure.fields.map(({ name, field_id: id }) => [name, id]));
    artifacts = bodyOf<ArtifactJson[]>(
      await api.get(`/trackers/${structure.id}/artifacts?values=all&limit=1000`, { as: 'pam' }),
    );
    known = knownIds(structure, testers);
    const members = ['1', '2', '101_3'];
    readers = await Promise.all([
      reader('root', true, ['1', '2']),
      reader('pam', true, [...members, '101_4']),
      reader('tim', true, members),
      reader('meg', false, [...members, String(testers)]),
      reader('sam', false, ['1', '2', String(testers)]),
      reader('max', false, ['1', '2']),
      reader(undefined, false, ['1']),
    ]);
  });
  after(() => api.stop());

  const structureFor = async (as?: string): Promise<TrackerJson> =>
    bodyOf(await api.get(`/trackers/${api.tracker('item')}`, as === undefined ? {} : { as }));

  async function reader(name: string | undefined, isAdmin: boolean, groups: readonly string[]): Promise<Reader> {
    const { fields } = await structureFor(name);
    return { name, isAdmin, groups, readable: new Set(fields.map((field) => field.name)) };
  }

  function knownIds({ fields }: TrackerJson, testers: number): Known {
    const lists = ['status_id', 'kind', 'systems', 'colours', 'hidden_status', 'tags'];
    const valuesOf = (name: string) => (fields.find((field) => field.name === name)?.values ?? []).map(({ id }) => id);
    const users = ['pam', 'tim', 'meg', 'sam'].map((name) => api.user(name));
    const groups = ['101_3', String(testers), '101_4'];
    const byUsers = ['owner', 'helpers', 'submitted_by', 'updated_by', 'watchers'].map((name) => [name, users]);
    const byGroups = ['team', 'crews'].map((name) => [name, groups]);
    return Object.fromEntries([...lists.map((name) => [name, valuesOf(name)]), ...byUsers, ...byGroups]) as Known;
  }

  /** Straight into the log: what any history may have left there. */
  async function submitAll(testers: number): Promise<void> {
    const { log, readModels } = api.service;
    const ids = api.service.idsOf('artifact');
    const users = ['pam', 'tim', 'meg', 'sam'].map((name) => api.user(name));
    const positions: Position[] = [];
    const fieldId = api.field('item', 'tags');
    for (const [index, label] of ['own', 'odd'].entries()) {
      const data = { fieldId, trackerId: api.tracker('item'), number: index + 1, label };
      const metadata = { actor: users[0]!, at: INSTANTS[0]!, schema: 1, commandId: randomUUID() };
      const added = { type: 'OpenValueAdded', data, id: randomUUID() };
      await log.append(openValuesStream(fieldId), index - 1, [added], metadata);
    }
    for (const { at, actor, values } of fc.sample(submission(testers, users), { numRuns: COUNT, seed: SEED })) {
      for (const [tracker, given] of [
        ['staff', {}],
        ['item', values],
      ] as const) {
        if (tracker === 'staff' && actor !== users[0]) continue;
        const artifactId = await ids.next();
        const data = { artifactId, trackerId: api.tracker(tracker), values: given };
        const metadata = { actor, at: at.toISOString(), schema: 1, commandId: randomUUID() };
        const submitted = { type: 'ArtifactSubmitted', data, id: randomUUID() };
        const { position } = await log.append(`artifact-${artifactId}`, -1, [submitted], metadata);
        positions.push(position);
      }
    }
    expect(await readModels.caughtUp('artifacts', positions.at(-1)!, 10_000)).to.equal(true);
  }

  function submission(testers: number, users: readonly number[]) {
    const one = <T>(items: readonly T[]) => fc.constantFrom(...items);
    const some = <T>(items: readonly T[], max = items.length) => fc.subarray([...items], { maxLength: max });
    const text = fc.array(one(WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    const valueIds = (name: string) =>
      api.service.definitions
        .tracker(api.tracker('item'))!
        .fieldNamed(name)!
        .values!.map(({ id }) => id);
    const open = [
      { open: 1, label: 'own' },
      { open: 2, label: 'odd' },
    ];
    const bound = (ids: readonly number[]) => ids.map((id) => ({ bound: id }));
    const values: Readonly<Record<string, fc.Arbitrary<FieldValue>>> = {
      title: text,
      inside: text,
      about: fc
        .tuple(text, one(['text', 'commonmark'] as const))
        .map(([written, format]) => ({ text: written, format })),
      count: one(INTS),
      ratio: one(FLOATS),
      due: one(DAYS).map((date) => ({ date })),
      meeting: one(INSTANTS).map((date) => ({ date })),
      status_id: some(valueIds('status_id'), 1),
      kind: some(valueIds('kind'), 1),
      systems: some(valueIds('systems')),
      colours: some(valueIds('colours')),
      hidden_status: some(valueIds('hidden_status'), 1),
      owner: some(users, 1),
      helpers: some(users),
      team: some([3, 4, testers]),
      tags: some([...bound(valueIds('tags')), ...open]),
      watchers: some(bound(users)),
      crews: some(bound([3, 4, testers])),
      readers: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: some([1, 2, 3, 4, testers]) },
      ),
    };
    const given = Object.entries(values).map(([name, value]) =>
      fc
        .option(
          fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: one([name === 'readers' ? [] : null]) }),
          {
            nil: undefined,
          },
        )
        .map((held) => (held === undefined ? [] : [[String(api.field('item', name)), held] as const])),
    );
    return fc.record({
      at: one(INSTANTS).map((instant) => new Date(instant)),
      actor: one(users),
      values: fc.tuple(...given).map((entries) => Object.fromEntries(entries.flat())),
    });
  }

  it('gives the visible matches in order, page by page, with the exact size', async () => {
    expect(artifacts).to.have.lengthOf(COUNT);
    const asked = fc.record({
      filter: fc.uniqueArray(criterion(known), { maxLength: 3, selector: ({ field }) => field }),
      byId: fc.boolean(),
      reader: fc.constantFrom(...readers),
      limit: fc.constantFrom(undefined, 1, 3, 10, 200),
      offset: fc.constantFrom(undefined, 0, 1, 5, 60),
      order: fc.constantFrom(undefined, 'asc', 'desc'),
      asBody: fc.boolean(),
    });
    const property = fc.asyncProperty(asked, async ({ filter, byId, reader: who, limit, offset, order, asBody }) => {
      const members = filter.map(({ field, json }) => [byId ? fieldIds.get(field) : field, json] as const);
      const json = JSON.stringify(Object.fromEntries(members));
      const search = searchOf({ limit, offset, order, query: asBody ? undefined : json });
      const headers = who.name === undefined ? {} : await api.signIn(who.name);
      const answer = await exchange('GET', `${url}${search}`, { headers, ...(asBody && { body: json }) });
      if (filter.some(({ field }) => !who.readable.has(field))) {
        expect(answer.status, answer.text).to.equal(400);
        return;
      }
      expect(answer.status, answer.text).to.equal(200);

      const all = expected(artifacts, fieldIds, filter, who);
      const sorted = order === 'desc' ? all.toReversed() : all;
      expect(idsOf(answer)).to.deep.equal(sorted.slice(offset).slice(0, limit ?? 100));
      expect(answer.header('X-PAGINATION-SIZE')).to.equal(String(all.length));
    });
    await fc.assert(property, { numRuns: 600 });
  });
});

/** Without the parameters that are not given. */
function searchOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `?${given.join('&')}`;
}
