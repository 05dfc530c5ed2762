import { expect } from 'chai';
import fc from 'fast-check';
import { artifactApi, type ArtifactApi } from '../../artifacts/artifact-api.js';
import { type Answer } from '../../support/client.js';
import { answered, changing, commands, READERS } from './any-changes.js';

/** On servers every write takes its time. */
const RUNS = (process.env['TEST_STORES'] ?? '') === '' ? 2 : 1;

const COMPARED = ['etag', 'last-modified', 'link', 'allow', 'x-pagination-size', 'x-pagination-limit'];

describe('an answer that is given again to any reader', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  function pathsFor(ids: readonly number[]): readonly string[] {
    const [bug, note] = [api.tracker('bug'), api.tracker('note')];
    const project = api.service.definitions.projectNamed('hydra')!.id;
    const ofTracker = ['', '/artifacts?limit=2', '/artifacts?values=all', '/tracker_reports', '/parent_artifacts'];
    return [
      ...ids.flatMap((id) => [`/artifacts/${id}`, `/artifacts/${id}?values_format=all`]),
      ...ofTracker.flatMap((rest) => [`/trackers/${bug}${rest}`, `/trackers/${note}${rest}`]),
      ...['', '/trackers', '/trackers?representation=minimal'].map((rest) => `/projects/${project}${rest}`),
      '/projects',
      '/users/self',
      `/users/${api.service.definitions.userNamed('carol')!.id}`,
    ];
  }

  const told = ({ status, headers, body }: Answer): unknown => ({
    status,
    body: body as unknown,
    headers: COMPARED.map((name) => headers.get(name)),
  });

  let asked = 0;
  let again = 0;
  const shown = new Map<string, string>();

  /** No other request has the header, so that its answer is made for it. */
  async function compare(path: string, as: string | undefined): Promise<void> {
    const by = as === undefined ? {} : { as };
    asked += 1;
    const given = told(await answered(() => api.get(path, by)));
    const headers = { 'X-Nth': String(asked) };
    const made = told(await answered(() => api.get(path, { ...by, headers })));
    expect(given, `${path} for ${as}`).to.deep.equal(made);
    const text = JSON.stringify(made);
    if (shown.get(`${as} ${path}`) === text) again += 1;
    shown.set(`${as} ${path}`, text);
  }

  const compareAll = (ids: readonly number[]): Promise<unknown> =>
    Promise.all(pathsFor(ids).flatMap((path) => READERS.map((as) => compare(path, as))));

  it('is the one that would be made, after any changes', async function () {
    this.timeout(300_000);
    const property = fc.asyncProperty(commands, async (taken) => {
      const { ids, carryOut } = await changing(api);
      await compareAll(ids);
      for (const each of taken) {
        await carryOut(each);
        await compareAll(ids);
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    expect(again).to.be.greaterThan(0);
  });
});
