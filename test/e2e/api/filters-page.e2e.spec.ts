/** docs/filters.md and docs/tql.md: every example is asked, and the table of what fields take is what they take. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FILTERS_PAGE, filtersPage } from '../../support/filter-table.js';
import { type Answer } from '../../support/client.js';
import { runService, type RunningService } from '../../support/service.js';
import { bodyOf, idsOf, type ArtifactJson, type ErrorJson, type TrackerJson } from './shapes.js';

const PLATFORM = `
settings: { anonymous_access: true }
users:
  - { username: ann, real_name: Ann, email: ann@example.org, password: ann's password }
  - { username: bob, real_name: Bob, email: bob@example.org, password: bob's password }
  - { username: carl, real_name: Carl, email: carl@example.org, password: carl's password }
projects:
  - shortname: plant
    label: Plant
    members: [ann, bob]
    trackers:
      - item_name: fault
        label: Faults
        fields:
          - { name: title, label: Title, type: string }
          - { name: about, label: About, type: text }
          - { name: points, label: Points, type: int }
          - { name: weight, label: Weight, type: float }
          - { name: due, label: Due, type: date }
          - { name: met, label: Met, type: date, time: true }
          - { name: status, label: Status, type: sb, values: [{ label: New }, { label: Open }, { label: Done }] }
          - { name: kind, label: Kind, type: rb, values: [{ label: A }] }
          - { name: owner, label: Owner, type: msb, bind: users, from: [project_members] }
          - { name: systems, label: Systems, type: cb, values: [{ label: A }] }
          - { name: tags, label: Tags, type: tbl, values: [{ label: urgent }] }
          - { name: links, label: Links, type: art_link }
          - { name: files, label: Files, type: file }
          - { name: id, label: Id, type: aid }
          - { name: rank, label: Rank, type: atid }
          - { name: submitted_on, label: Submitted on, type: subon }
          - { name: submitted_by, label: Submitted by, type: subby }
          - { name: updated_on, label: Updated on, type: lud }
          - { name: updated_by, label: Updated by, type: luby }
        semantics: { status: { field: status, open: [New, Open] }, contributor: owner }
`;

const PAGE = readFileSync(FILTERS_PAGE, 'utf8');
const TQL_PAGE = readFileSync(new URL('tql.md', pathToFileURL(FILTERS_PAGE)), 'utf8');

/** Of the last section. */
const examplesOf = (page: string) =>
  [...page.split('\n## Examples\n')[1]!.matchAll(/^\| `(.*)` \|([\d, ]*)\|$/gm)].map(([, asked = '', finds = '']) => ({
    asked,
    finds: (finds.match(/\d+/g) ?? []).map(Number),
  }));
const FILTERS = examplesOf(PAGE);
const QUERIES = examplesOf(TQL_PAGE);
const REFUSED = 400;

const ROWS = [...PAGE.matchAll(/^\| (\d) \|(.*)\|$/gm)].map(([, , cells = '']) =>
  cells.split('|').map((cell) => cell.trim()),
);
const codes = (text = ''): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
/** By type of field. */
const OPERATORS = new Map(
  [...PAGE.matchAll(/^\| (`[^|]*) \| (`[^|]*) \|(?: [^|]* \|){3}$/gm)].flatMap(([, types, operators]) =>
    codes(types).map((type) => [type, codes(operators)] as const),
  ),
);

function valueFor(type: string, operator: string): unknown {
  const one = ['date', 'subon', 'lud'].includes(type) ? '2026-01-01' : 1;
  if (operator === 'between') return [one, one];
  return operator === 'empty' ? true : one;
}

describe('docs/filters.md and docs/tql.md', () => {
  let api: RunningService;
  let tracker: TrackerJson;
  const artifacts: number[] = [];
  let meant: ReadonlyMap<string, string>;

  before(async () => {
    api = await runService({ platform: PLATFORM });
    for (const row of ROWS) artifacts.push(await create(row));
    const [first, second, third] = artifacts;
    await link(first, { id: second, type: '_is_child' });
    await link(third, { id: second });
    await comment(first, 'The seal is worn.');
    await comment(second, 'New seal');
    tracker = bodyOf(await api.get(`/trackers/${api.tracker('fault')}`, { as: 'ann' }));
    meant = new Map([...PAGE.matchAll(/^\| (o?\d+) \| the (\w+) (.*?)(?: of (\w+))? \|$/gm)].map(idMeant));
  });
  after(() => api.stop());

  async function create([title, points, due, met, status, owner, tags]: readonly string[]): Promise<number> {
    const of = (name: string, parts: object, given: string | undefined) =>
      given === '' ? [] : [{ field_id: api.field('fault', name), ...parts }];
    const values = [
      ...of('title', { value: title }, title),
      ...of('points', { value: points }, points),
      ...of('due', { value: due }, due),
      ...of('met', { value: met }, met),
      ...(status ? of('status', { bind_value_ids: [api.value('fault', 'status', status)] }, status) : []),
      ...(owner ? of('owner', { bind_value_ids: [api.user(owner)] }, owner) : []),
      ...of('tags', { bind_value_ids: tags?.split(', ') }, tags),
    ];
    const answer = await api.post('/artifacts', { as: 'ann', body: { tracker: { id: api.tracker('fault') }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return bodyOf<ArtifactJson>(answer).id;
  }

  async function link(source: number | undefined, target: object): Promise<void> {
    const values = [{ field_id: api.field('fault', 'links'), links: [target] }];
    expect((await api.put(`/artifacts/${source}`, { as: 'ann', body: { values } })).status).to.equal(200);
  }

  async function comment(artifact: number | undefined, body: string): Promise<void> {
    const answer = await api.put(`/artifacts/${artifact}`, { as: 'ann', body: { values: [], comment: { body } } });
    expect(answer.status).to.equal(200);
  }

  function idMeant([, id = '', what, label = '', field = '']: readonly (string | undefined)[]): readonly [
    string,
    string,
  ] {
    if (what === 'user') return [id, String(api.user(label))];
    const { values } = tracker.fields.find(({ name }) => name === field)!;
    return [id, String(values!.find((value) => value.label === label)!.id)];
  }

  const real = (filter: string): string =>
    filter.replaceAll(/(?<![-\w:>])(o?\d+)(?![-\w:])/g, (id) => meant.get(id) ?? id);
  const ask = (parameter: string, asked: string): Promise<Answer> =>
    api.get(`/trackers/${tracker.id}/artifacts?${parameter}=${encodeURIComponent(asked)}`, { as: 'ann' });

  function itFinds(parameter: string, examples: typeof FILTERS): void {
    for (const { asked, finds } of examples) {
      it(`finds what it says by ${asked}`, async () => {
        const answer = await ask(parameter, parameter === 'query' ? real(asked) : asked);
        const isRefused = finds.includes(REFUSED);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(isRefused ? REFUSED : 200);
        if (!isRefused) expect(idsOf(answer)).to.deep.equal(finds.map((turn) => artifacts[turn - 1]));
      });
    }
  }

  it('has the table that the code declares', () => {
    expect(filtersPage(), 'npm run filters').to.equal(PAGE);
  });

  it('has examples, their artifacts and the meaning of their ids', () => {
    expect(ROWS).to.have.length(4);
    expect(meant.size).to.equal(6);
    expect(FILTERS.length).to.be.at.least(30);
    expect(QUERIES.length).to.be.at.least(30);
    const shown = [...TQL_PAGE.matchAll(/^```\n(.*)\n```$/gm)].map(([, query]) => query);
    expect(shown).to.have.length(1);
    expect(QUERIES.map(({ asked }) => asked)).to.include.members(shown);
    expect([...OPERATORS.keys()]).to.have.length(16);
  });

  itFinds('query', FILTERS);
  itFinds('expert_query', QUERIES);

  it('names the operators that the fields of each type take, as refusals do, and no others', async () => {
    const known = new Set([...OPERATORS.values()].flat());
    for (const { name, type } of tracker.fields.filter(({ type: each }) => OPERATORS.has(each))) {
      const operators = OPERATORS.get(type) ?? [];
      for (const operator of [...known, 'like']) {
        const answer = await ask('query', JSON.stringify({ [name]: { operator, value: valueFor(type, operator) } }));
        const isTaken = operators.includes(operator);
        expect(answer.status, `${type} ${operator}`).to.equal(isTaken ? 200 : 400);
        if (isTaken) continue;
        const listed = operators.map((each) => `"${each}"`).join(', ');
        expect(bodyOf<ErrorJson>(answer).error.details).to.deep.equal([
          { pointer: `/${name}`, message: `Unsupported operator "${operator}"; use ${listed}` },
        ]);
      }
    }
  });
});
