import { expect } from 'chai';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { appendNewer } from '../support/newer-release.js';
import { unseenApi, words, type UnseenApi } from './unseen-api.js';

const UNKNOWN = 999_999;
const ADMINS_ONLY = '_4';

describe('an artifact that a reader may not see and whose stream is marked', () => {
  let api: UnseenApi;
  before(async () => {
    api = await unseenApi();
  });
  after(() => api.stop());

  const mark = async (id: number): Promise<void> => {
    const position = await appendNewer(api.service.log, artifactStream(id));
    expect(await api.service.readModels.caughtUp(ARTIFACTS, position, 10_000)).to.equal(true);
  };
  const limited = () => {
    const { id } = api.service.definitions.projectNamed('open')!;
    return api.made([api.of('readers', { value: { granted_groups: [`${id}${ADMINS_ONLY}`] } })]);
  };
  const childOf = (id: number) => ({ id, type: '_is_child' });
  const paths = (id: number): readonly string[] => [
    `/artifacts/${id}`,
    `/artifacts/${id}?revision=0`,
    `/artifacts/${id}/links`,
    `/artifacts/${id}/history`,
    `/artifacts/${id}/changesets`,
    ...['forward', 'reverse'].map((way) => `/artifacts/${id}/linked_artifacts?direction=${way}&nature=_is_child`),
  ];
  const asked = async (questions: readonly string[], as: string | undefined): Promise<readonly string[]> => {
    const answers = [];
    for (const path of questions) {
      const { status, body } = await api.get(path, { ...(as && { as }) });
      answers.push(`${path}: ${status} ${JSON.stringify(body)}`);
    }
    return answers;
  };
  const statuses = (answers: readonly string[]) => answers.map((answer) => /: (\d{3}) /.exec(answer)?.[1]);

  it('changes no answer for them: what links to it, what it links to, and pages are as they were', async () => {
    const [hidden, inCase, gone, shown] = [
      await limited(),
      await api.made([], 'case'),
      await limited(),
      await api.made(),
    ];
    const ends = [hidden, inCase, gone, shown].map(childOf);
    const id = await api.made([api.of('links', { links: ends })]);
    expect((await api.change(hidden, [api.of('links', { links: [childOf(id)] })], 'maker')).status).to.equal(200);
    expect((await api.change(id, [api.of('links', { links: ends.slice(1) })], 'maker')).status).to.equal(200);
    expect((await api.request('DELETE', `/artifacts/${gone}`, { as: 'maker' })).status).to.equal(200);
    const page = `/trackers/${api.tracker('item')}/artifacts`;
    const query = (value: object): string => `query=${encodeURIComponent(JSON.stringify(value))}`;
    const questions = [
      ...[id, shown, hidden, inCase, gone].flatMap(paths),
      ...[`${page}?values=all`, `${page}?${query({ title: 'Visible' })}`],
      `/artifacts?${query({ id: [id, hidden, inCase, gone] })}`,
    ];
    const before = [await asked(questions, 'mem'), await asked(questions, undefined)];
    for (const each of [hidden, inCase, gone]) await mark(each);
    expect([await asked(questions, 'mem'), await asked(questions, undefined)]).to.deep.equal(before);

    const seen = statuses(await asked([...paths(id), page, ...paths(hidden)], 'maker'));
    expect(new Set(seen)).to.deep.equal(new Set(['503']));
    const { status } = await api.change(id, [api.of('links', { links: [childOf(shown)] })]);
    expect(status).to.equal(200);
    expect((await api.get(`/artifacts/${id}`, { as: 'mem' })).status).to.equal(200);
  });

  it('is refused to writers as it was: in a path, as the end of a link, as what holds a file', async () => {
    const content = Buffer.from('bytes').toString('base64');
    const body = { name: 'a.txt', mimetype: 'text/plain', content };
    const file = (await api.post('/artifact_temporary_files', { as: 'maker', body })).body.id as number;
    const { id: open } = api.service.definitions.projectNamed('open')!;
    const readers = api.of('readers', { value: { granted_groups: [`${open}${ADMINS_ONLY}`] } });
    const [hidden, id] = [await api.made([readers, api.of('files', { value: [file] })]), await api.made()];
    await mark(hidden);
    const elements = [
      (named: number) => api.links(named),
      (named: number) => api.of('links', { parent: { id: named } }),
    ];
    for (const element of elements) {
      const unknown = words(await api.change(id, [element(UNKNOWN)]), UNKNOWN);
      expect(unknown).to.match(/^400 /);
      expect(words(await api.change(id, [element(hidden)]), hidden)).to.equal(unknown);
    }
    const attach = async (named: number) => words(await api.change(id, [api.of('files', { value: [named] })]), named);
    expect(await attach(file)).to.equal(await attach(UNKNOWN));
    expect((await api.get(`/artifact_files/${file}`, { as: 'mem' })).status).to.equal(404);
    for (const [method, more] of [
      ['PUT', { body: { values: [] } }],
      ['DELETE', {}],
    ] as const) {
      expect((await api.request(method, `/artifacts/${hidden}`, { as: 'mem', ...more })).status, method).to.equal(403);
      expect((await api.request(method, `/artifacts/${hidden}`, { as: 'maker', ...more })).status, method).to.equal(
        503,
      );
    }
  });

  it('does not prevent the deletion of its target, and archives the link as it was known', async () => {
    await api.operate('apply', { text: 'settings: { archive_deleted_artifacts: true }', prune: false, env: {} });
    const target = await api.made();
    await mark(await api.made([api.of('links', { links: [{ id: target }] }, 'case')], 'case'));
    const { status, body } = await api.request('DELETE', `/artifacts/${target}`, { as: 'chief' });
    expect(status, JSON.stringify(body)).to.equal(200);
  });

  it('is 503 for those who could see it at last, and so is what depends on it', async () => {
    const [shown, other] = [await api.made(), await api.made()];
    const ties = (...ends: readonly number[]) => api.of('ties', { links: ends.map((end) => ({ id: end })) }, 'covert');
    const links = api.of('links', { links: [{ id: shown }] }, 'covert');
    const id = await api.made([links, ties(other)], 'covert');
    await mark(other);
    // A link in a field that the reader may not read is no reason either.
    expect(statuses(await asked(paths(id), 'mem'))).to.deep.equal(paths(id).map(() => '200'));
    const blind = await api.change(id, [ties()]);
    expect(blind.status, JSON.stringify(blind.body)).to.equal(200);
    await mark(shown);
    expect(statuses(await asked(paths(id), 'mem'))).to.deep.equal([...Array<string>(6).fill('503'), '200']);
  });
});
