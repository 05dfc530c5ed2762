/** Expert queries over HTTP; what they mean is tried in test/stores/contracts/tql.contract.ts. */
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { runService, type RunningService } from '../../support/service.js';
import { bodyOf, idsOf, type ErrorJson } from './shapes.js';

const PLATFORM = `
settings: { anonymous_access: true }
users:
  - { username: ann, real_name: Ann, email: ann@example.org, password: ann's password }
  - { username: bob, real_name: Bob, email: bob@example.org, password: bob's password }
projects:
  - shortname: plant
    label: Plant
    admins: [ann]
    members: [ann]
    trackers:
      - item_name: fault
        label: Faults
        fields:
          - { name: title, label: Title, type: string }
          - { name: points, label: Points, type: int }
          - { name: links, label: Links, type: art_link }
          - { name: submitted_by, label: Submitted by, type: subby }
          - { name: files, label: Files, type: file }
          - { name: papers, label: Papers, type: file, permissions: { read: [project_admins] } }
          - { name: who, label: Who, type: perm }
      - item_name: plan
        label: Plans
        permissions: { access: [project_admins] }
        fields:
          - { name: links, label: Links, type: art_link }
`;

describe('an expert query', () => {
  let api: RunningService;
  let faults: readonly number[];
  let plan: number;

  before(async () => {
    api = await runService({ platform: PLATFORM });
    const [one, two, three] = [await fault('Pump leaks', 1), await fault('Pump hums', 2), await fault('Valve', 3)];
    faults = [one, two, three];
    await api.put(`/artifacts/${one}`, {
      as: 'ann',
      body: { values: [{ field_id: api.field('fault', 'links'), links: [{ id: two, type: '_is_child' }] }] },
    });
    const links = [{ id: three, type: '_is_child' }];
    plan = await submit('plan', [{ field_id: api.field('plan', 'links'), links }]);
    await api.put(`/artifacts/${two}`, {
      as: 'ann',
      body: { values: [{ field_id: api.field('fault', 'links'), links: [{ id: plan }] }] },
    });
  });
  after(() => api.stop());

  const submit = async (tracker: string, values: readonly object[]): Promise<number> => {
    const answer = await api.post('/artifacts', { as: 'ann', body: { tracker: { id: api.tracker(tracker) }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return bodyOf<{ id: number }>(answer).id;
  };
  const fault = (title: string, points: number): Promise<number> =>
    submit('fault', [
      { field_id: api.field('fault', 'title'), value: title },
      { field_id: api.field('fault', 'points'), value: points },
    ]);

  const ask = (query: string, as?: string, more = ''): Promise<Answer> =>
    api.get(
      `/trackers/${api.tracker('fault')}/artifacts?expert_query=${encodeURIComponent(query)}${more}`,
      as === undefined ? {} : { as },
    );

  function expectFound(answer: Answer, ...indices: readonly number[]): void {
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(idsOf(answer)).to.deep.equal(indices.map((index) => faults[index]));
  }

  it('leaves the artifacts that it finds, in pages, by id', async () => {
    const answer = await ask('title = "pump" OR points = 3', undefined, '&limit=2&order=desc');
    expectFound(answer, 0, 1);
    expect(answer.headers.get('X-PAGINATION-SIZE')).to.equal('3');
    expectFound(await ask('title = "pump" AND points > 1'), 1);
    expectFound(await ask('submitted_by = MYSELF()', 'bob'));
    expectFound(await ask('submitted_by = MYSELF()', 'ann'), 0, 1, 2);
  });

  it('counts links of which the reader may see both ends, however the same is asked', async () => {
    expectFound(await ask('WITH PARENT', 'ann'), 1, 2);
    expectFound(await ask('WITH PARENT', 'bob'), 1);
    expectFound(await ask('WITHOUT PARENT', 'bob'), 0, 2);
    expectFound(await ask('WITH PARENT TRACKER = "plan"', 'ann'), 2);
    expectFound(await ask('WITH PARENT TRACKER = "plan"', 'bob'));
    expectFound(await ask(`IS LINKED TO ARTIFACT = ${faults[1]}`, 'bob'), 0);
    for (const asked of [`IS LINKED TO ARTIFACT = ${plan}`, 'IS LINKED TO TRACKER = "PLAN"']) {
      expectFound(await ask(asked, 'ann'), 1);
      expectFound(await ask(asked, 'bob'));
    }
  });

  it('returns all artifacts if it is empty or 0', async () => {
    for (const query of ['', '0']) expectFound(await ask(query), 0, 1, 2);
  });

  it('stands beside an empty filter, and beside no other', async () => {
    expectFound(await ask('points = 2', undefined, '&query=%7B%7D'), 1);
    const answer = await ask('points = 2', undefined, '&query=%7B%22points%22%3A2%7D');
    expect(answer.status).to.equal(400);
    expect(bodyOf<ErrorJson>(answer).error.details?.[0]?.pointer).to.equal('expert_query');
  });

  it('is answered 400 with line, column and what was expected', async () => {
    const mistakes = [
      [' ', 'line 1, column 2: Expected ( or IS or WITH or WITHOUT or the name of a field, but found the end'],
      ['points = 1\nand', 'line 2, column 4: Expected ( or IS or'],
      ['nonesuch = 1', 'line 1, column 1: Unknown field "nonesuch"; use the name of a field of the tracker'],
    ] as const;
    for (const [query, message] of mistakes) {
      const answer = await ask(query);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      expect(bodyOf<ErrorJson>(answer).error.message).to.have.string(`expert_query, ${message}`);
      expect(bodyOf<ErrorJson>(answer).error.details?.[0]?.message).to.have.string(message);
    }
  });

  describe('for comments and files', () => {
    before(async () => {
      await comment(0, 'The Seal of the pump is worn. Ask QA');
      await comment(0, 'New seal is fitted');
      await comment(1, '<p>Old <b>seal</b> hums</p>', 'html');
      await attach(0, 'files', 'Seal drawing.PDF', 'of the pump');
      await attach(1, 'papers', 'seal contract.pdf', '');
      const found = await api.get('/projects?query=%7B%22shortname%22%3A%22plant%22%7D', { as: 'ann' });
      const [{ id: project }] = bodyOf<[{ id: number }]>(found);
      const valve = await submit('fault', [
        { field_id: api.field('fault', 'title'), value: 'Hidden' },
        { field_id: api.field('fault', 'who'), value: { granted_groups: [`${project}_4`] } },
      ]);
      faults = [...faults, valve];
      await comment(3, 'Nobody but administrators reads of the secret seal');
      await attach(3, 'files', 'secret.txt', '');
    });
    async function comment(index: number, body: string, format = 'text'): Promise<void> {
      const answer = await api.put(`/artifacts/${faults[index]}`, {
        as: 'ann',
        body: { values: [], comment: { body, format } },
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    }

    async function attach(index: number, field: string, name: string, description: string): Promise<void> {
      const upload = { name, description, mimetype: 'text/plain', content: 'YQ==' };
      const file = await api.post('/artifact_temporary_files', { as: 'ann', body: upload });
      const value = [bodyOf<{ id: number }>(file).id];
      const body = { values: [{ field_id: api.field('fault', field), value }] };
      expect((await api.put(`/artifacts/${faults[index]}`, { as: 'ann', body })).status).to.equal(200);
    }

    it('finds comments with the words as a phrase, whole words in any case', async () => {
      expectFound(await ask('@comments = "SEAL"', 'bob'), 0, 1);
      expectFound(await ask('@Comments = "is worn, ask"', 'bob'), 0);
      expectFound(await ask('@comments = "qa"', 'bob'), 0);
      expectFound(await ask('@comments = "old seal hums"', 'bob'), 1);
      for (const asked of ['worn seal', 'sea', 'worn new', '.', 'p']) {
        expectFound(await ask(`@comments = "${asked}"`, 'bob'));
      }
      expectFound(await ask('@comments != "hums"', 'bob'), 0, 2);
      expectFound(await ask('@comments = ""', 'bob'), 2);
      expectFound(await ask('@comments != ""', 'bob'), 0, 1);
      expectFound(await ask('@comments = "seal" AND points > 1 OR points = 3', 'bob'), 1, 2);
    });

    it('finds files by a piece of their name or description, and by there being some', async () => {
      expectFound(await ask('files = "drawing.pdf"', 'bob'), 0);
      expectFound(await ask('files = "THE PUMP"', 'bob'), 0);
      expectFound(await ask('files = "drawing of"', 'bob'));
      expectFound(await ask('files != "drawing"', 'bob'), 1, 2);
      expectFound(await ask('files = ""', 'bob'), 1, 2);
      expectFound(await ask('files != ""', 'bob'), 0);
      expectFound(await ask('papers = "contract" AND @comments = "hums"', 'ann'), 1);
    });

    it('finds no text in artifacts and fields that are hidden from the reader', async () => {
      for (const query of ['@comments = "secret"', 'files = "secret"', '@comments = "but administrators"']) {
        expectFound(await ask(query, 'ann'), 3);
        for (const reader of ['bob', undefined]) expectFound(await ask(query, reader));
      }
      expectFound(await ask('@comments != "secret"', 'bob'), 0, 1, 2);
      expectFound(await ask('@comments = ""', 'ann'), 2);
      const refused = await ask('papers = "contract"', 'bob');
      expect(refused.status).to.equal(400);
      const unknown = await ask('nonesu = "contract"', 'bob');
      expect(JSON.stringify(refused.body).replaceAll('papers', 'nonesu')).to.equal(JSON.stringify(unknown.body));
    });

    it('finds no removed file, and new texts at once', async () => {
      const body = { values: [{ field_id: api.field('fault', 'papers'), value: [] }] };
      expect((await api.put(`/artifacts/${faults[1]}`, { as: 'ann', body })).status).to.equal(200);
      expectFound(await ask('papers = "contract"', 'ann'));
      expectFound(await ask('papers != ""', 'ann'));
      await comment(2, 'just now');
      expectFound(await ask('@comments = "just now"', 'bob'), 2);
    });
  });
});
