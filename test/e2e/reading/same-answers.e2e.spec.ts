/** A reading process answers each request as the main process does. */
import { expect } from 'chai';
import { killAll, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf, type KnownTracker } from '../../support/tracker-of.js';
import { connection, connectionToMain, processOf, startReading, type Connection, type Headers } from './connections.js';

const ARTIFACTS = 5;
/** Of the answer's time, id and connection. */
const OF_ITS_OWN = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

describe('a reading process and the main process', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  let reading: Connection;
  let main: Connection;
  let alice: Headers;
  let bug: KnownTracker;
  let id: number;
  before(async () => {
    directory = await temporaryDirectory();
    service = await startReading(directory.path, 1, { TRUSTED_PROXIES: '127.0.0.1' });
    [reading, main] = [connection(service), connectionToMain(directory.path)];
    expect(await processOf(service, reading)).to.equal('reading-1');
    alice = await service.signIn('alice');
    bug = await trackerOf(service, 'bug');
    const values = [{ field_id: bug.fields.get('title')!, value: 'x' }];
    for (let nth = 0; nth < ARTIFACTS; nth += 1) {
      const made = await service.post('/artifacts', { as: 'alice', body: { tracker: { id: bug.id }, values } });
      id = Number(made.body.id);
    }
  });
  after(async () => {
    reading.close();
    main.close();
    await killAll();
    await directory.remove();
  });

  const addressed = { Host: 'ledger.example.org', 'X-Passed-On-For': '127.0.0.1' };
  const answerOf = async ({ send }: Connection, method: string, path: string, headers: Headers) => {
    const answer = await send(method, path, { ...addressed, ...headers });
    const kept = Object.entries(answer.headers).filter(([name]) => !OF_ITS_OWN.includes(name));
    return { ...answer, headers: Object.fromEntries(kept) };
  };
  const same = async (path: string, headers: Headers = alice, method = 'GET'): Promise<number> => {
    const expected = await answerOf(main, method, path, headers);
    for (const time of ['first', 'again']) {
      const given = await answerOf(reading, method, path, headers);
      expect(given, `${method} ${path} ${JSON.stringify(headers)}, ${time}`).to.deep.equal(expected);
    }
    return expected.status;
  };

  it('answer alike, whatever the path and the query are', async () => {
    const list = `/trackers/${bug.id}/artifacts`;
    const filter = encodeURIComponent(JSON.stringify({ title: 'x' }));
    for (const path of [
      `/artifacts/${id}`,
      `/artifacts/${id}?values_format=all&tracker_structure_format=complete`,
      `/artifacts/${id}?values_format=none`,
      `/artifacts/${id}?revision=0`,
      `/artifacts/${id}?x=?&revision=0`,
      `/artifacts/${id}??revision=0`,
      `/artifacts/${id}/links`,
      `/artifacts/${id}/linked_artifacts?nature=&direction=forward`,
      '/artifacts/999999',
      `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: [id] }))}`,
      '/artifacts?query=%7B',
      `${list}?limit=2&values=all`,
      `${list}?limit=2&offset=2&order=desc`,
      `${list}?limit=1000`,
      `${list}?query=${filter}`,
      `${list}?expert_query=${encodeURIComponent("title = 'x'")}`,
      `${list}?expert_query=title`,
      `${list}?cursor=none`,
      `/trackers/${bug.id}`,
      `/trackers/${bug.id}/parent_artifacts`,
      `/trackers/${bug.id}/used_artifact_links`,
      `/trackers/${bug.id}/tracker_reports`,
      '/trackers/999999',
      '/projects',
      '/projects?limit=1',
      `/projects/${bug.project}`,
      `/projects/${bug.project}/trackers`,
      `/projects/${bug.project}/user_groups`,
      `/user_groups/${bug.project}_3/users`,
      '/user_groups/1_1',
      '/users?query=ali',
      '/users/self',
      '/users/999999',
      '/tracker_reports/999999/artifacts',
      `/tracker_fields/${bug.fields.get('title')!}/values`,
    ]) {
      for (const method of ['GET', 'HEAD']) expect(await same(path, alice, method), path).to.not.equal(500);
    }
  });

  it('answer alike, whoever asks, and in whichever way', async () => {
    const path = `/trackers/${bug.id}/artifacts?limit=2`;
    const { 'X-Auth-UserId': userId = '' } = alice;
    const { headers } = await main.get(`/artifacts/${id}`, alice);
    for (const asking of [
      {},
      { ...alice, 'X-Auth-Token': 'none' },
      { ...alice, 'X-Auth-UserId': '999999' },
      { 'X-Auth-UserId': userId },
      await service.signIn('dave'),
      { ...alice, Accept: 'text/html' },
      { ...alice, 'Accept-Encoding': 'gzip', Accept: 'application/xml' },
      { ...alice, Host: 'not a host' },
      { ...alice, Origin: 'https://elsewhere.example.org' },
      { ...alice, 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'ledger.example.org:8443' },
      { ...alice, 'X-Auth-AccessKey': 'tlp.k1.1.none' },
      { Authorization: `Basic ${Buffer.from('alice:wrong').toString('base64')}` },
    ]) {
      await same(path, asking);
    }
    await same(`/artifacts/${id}`, { ...alice, 'If-None-Match': headers['etag']! });
  });

  it('know the cursors of each other', async () => {
    const path = `/trackers/${bug.id}/artifacts?limit=2`;
    const [ours, theirs] = [await reading.get(path, alice), await main.get(path, alice)];
    for (const { headers } of [ours, theirs]) {
      const [, next = ''] = /<[^>]*\/api([^>]*)>; rel="?next/.exec(headers['link'] ?? '') ?? [];
      expect(await same(next), headers['link']).to.equal(200);
    }
  });
});
