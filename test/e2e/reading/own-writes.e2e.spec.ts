/** What a client was told of is seen by every reading process, from the next request on. */
import { expect } from 'chai';
import { command, killAll, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf, type KnownTracker } from '../../support/tracker-of.js';
import { answered, connections, startReading, type Connection, type Headers } from './connections.js';

const PROCESSES = 2;
const CONNECTIONS = 4;
const WRITERS = 3;
const WRITES = 40;
const TOKENS = 8;
const CHANGES = 15;

describe('a write that was acknowledged', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  let readers: readonly Connection[];
  let alice: Headers;
  let bug: KnownTracker;
  before(async () => {
    directory = await temporaryDirectory();
    service = await startReading(directory.path, PROCESSES);
    readers = connections(service, CONNECTIONS);
    alice = await service.signIn('alice');
    bug = await trackerOf(service, 'bug');
  });
  after(async () => {
    for (const reader of readers) reader.close();
    await killAll();
    await directory.remove();
  });

  const everyone = (path: string, headers: Headers) => Promise.all(readers.map((reader) => reader.get(path, headers)));

  const writesAndReads = async (writer: number): Promise<void> => {
    const field_id = bug.fields.get('title')!;
    const titled = (value: string) => ({
      as: 'alice',
      body: { tracker: { id: bug.id }, values: [{ field_id, value }] },
    });
    const created = await service.post('/artifacts', titled('new'));
    const path = `/artifacts/${String(created.body.id)}`;
    for (let nth = 0; nth < WRITES; nth += 1) {
      const title = `${writer}.${nth}`;
      const { status, headers } = await service.put(path, titled(title));
      expect(status).to.equal(200);
      for (const { body, headers: read } of await everyone(path, alice)) {
        expect([body.title, read['etag']]).to.deep.equal([title, headers.get('etag')]);
      }
      const pages = await everyone(`/trackers/${bug.id}/artifacts?limit=100&values=all`, alice);
      for (const { body } of pages) expect(body.map((each: { title: string }) => each.title)).to.include(title);
    }
  };

  const tokensComeAndGo = async (): Promise<void> => {
    for (let nth = 0; nth < TOKENS; nth += 1) {
      const credentials = { username: 'bob', password: "bob's password" };
      const { body } = await service.post('/tokens', { body: credentials });
      const headers = { 'X-Auth-Token': String(body.token), 'X-Auth-UserId': String(body.user_id) };
      for (const { status } of await everyone('/users/self', headers)) expect(status).to.equal(200);
      expect((await service.request('DELETE', `/tokens/${String(body.token)}`, { headers })).status).to.equal(200);
      for (const { status } of await everyone('/users/self', headers)) expect(status).to.equal(500);
    }
  };

  const rightsComeAndGo = async (): Promise<void> => {
    const projects = (await service.get('/projects', { as: 'alice' })).body as { id: number; shortname: string }[];
    const { id } = projects.find(({ shortname }) => shortname === 'vault')!;
    const dave = await service.signIn('dave');
    for (let nth = 0; nth < CHANGES; nth += 1) {
      const isMember = nth % 2 === 0;
      const body = ['carol', ...(isMember ? ['dave'] : [])].map((username) => ({ username }));
      expect((await service.put(`/user_groups/${id}_3/users`, { as: 'alice', body })).status).to.equal(200);
      for (const { status } of await everyone(`/projects/${id}`, dave)) expect(status === 200).to.equal(isMember);
    }
  };

  it('is seen in artifacts, pages, tokens and rights, in each process, while others write', async () => {
    const writers = Array.from({ length: WRITERS }, (_, writer) => writesAndReads(writer));
    await Promise.all([...writers, tokensComeAndGo(), rightsComeAndGo()]);
    const shares = answered(service, /^\/api\/artifacts\/\d+$/);
    expect([...shares.keys()].sort()).to.deep.equal(['main', 'reading-1', 'reading-2']);
    // Those of the main process are the writes.
    const read = WRITERS * WRITES * (CONNECTIONS / PROCESSES);
    expect(shares.get('reading-1')).to.be.at.least(read * 0.9);
    expect(shares.get('reading-2')).to.be.at.least(read * 0.9);
  });

  it('is not contradicted by a process while a generation is exchanged', async () => {
    const rebuilt = command(['rebuild'], { DATA_DIR: directory.path });
    await Promise.all([writesAndReads(WRITERS), rightsComeAndGo()]);
    expect(await rebuilt).to.include({ code: 0 });
    await writesAndReads(WRITERS + 1);
  });
});
