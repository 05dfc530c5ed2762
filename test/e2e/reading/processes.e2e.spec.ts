/** The life of reading processes: from the main process's start to its end, whatever the end. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { killAll } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import { answered, connection, connections, pidsIn, processOf, startReading, type Connection } from './connections.js';

const CLIENTS = 8;
const ENDED_WITHIN_MS = 1000;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('reading processes', () => {
  let directory: TemporaryDirectory;
  const opened: Connection[] = [];
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close();
    await killAll();
    await directory.remove();
  });

  it('are replaced when they are killed; other requests are answered meanwhile', async () => {
    const service = await startReading(directory.path, 1);
    const [killed] = pidsIn(service);
    process.kill(killed!, 'SIGKILL');
    for (let nth = 0; nth < 20; nth += 1) {
      const client = connection(service);
      opened.push(client);
      expect(
        await client.get('/projects').then(
          ({ status }) => status,
          () => 'cut off',
        ),
        String(nth),
      ).to.be.oneOf(nth === 0 ? [200, 'cut off'] : [200]);
    }
    await service.says(/"msg":"reading process ready".*\n[^]*"msg":"reading process ready"/);
    expect(pidsIn(service)).to.have.length(2);
    expect(service.lines().find(({ msg }) => msg === 'reading process ended, starting another')).to.include({
      pid: killed,
      signal: 'SIGKILL',
      number: 1,
    });
    opened.push(connection(service));
    expect((await opened.at(-1)!.get('/projects')).status).to.equal(200);
    await service.kill('SIGTERM');
    expect(
      service
        .lines()
        .filter(({ msg }) => msg === 'request')
        .at(-1),
    ).to.include({ process: 'reading-1' });
  });

  it('believe the tokens of the main process, whatever has become of the file of its secret', async () => {
    const service = await startReading(directory.path, 1);
    const alice = await service.signIn('alice');
    await writeFile(join(directory.path, 'jwt-secret'), 'another secret, of another start, in its place');
    process.kill(pidsIn(service)[0]!, 'SIGKILL');
    await service.says(/"msg":"reading process ready".*\n[^]*"msg":"reading process ready"/);
    const client = connection(service);
    opened.push(client);
    expect(await processOf(service, client, alice)).to.equal('reading-1');
    expect((await client.get('/users/self', alice)).body).to.include({ username: 'alice' });
  });

  it('end at once when the main process is killed, and leave a directory to start from', async () => {
    const service = await startReading(directory.path, 2);
    opened.push(...connections(service, 2));
    for (const client of opened) expect((await client.get('/projects')).status).to.equal(200);
    const killedAt = performance.now();
    // Resolves when no process has the output open any longer.
    await service.kill('SIGKILL');
    expect(performance.now() - killedAt).to.be.below(ENDED_WITHIN_MS);
    const next = await startReading(directory.path, 2);
    expect((await next.get('/projects')).status).to.equal(200);
  });

  it('answer every request that was sent before SIGTERM, and end before the main process', async () => {
    const service = await startReading(directory.path, 2);
    const pids = pidsIn(service);
    const alice = await service.signIn('alice');
    const bug = await trackerOf(service, 'bug');
    const values = [{ field_id: bug.fields.get('title')!, value: 'x' }];
    let signalledAt = Infinity;
    const seen: { readonly sentAt: number; readonly outcome: unknown }[] = [];
    const repeated = async (send: () => Promise<{ readonly status: number }>): Promise<void> => {
      for (let outcome: unknown = 200; Number(outcome) < 300;) {
        const sentAt = performance.now();
        outcome = await send().then(({ status }) => status, String);
        seen.push({ sentAt, outcome });
      }
    };
    opened.push(...connections(service, CLIENTS));
    const loops = [
      ...opened.map((client) => repeated(() => client.get(`/trackers/${bug.id}/artifacts?values=all`, alice))),
      ...[1, 2].map(() =>
        repeated(() => service.post('/artifacts', { as: 'alice', body: { tracker: { id: bug.id }, values } })),
      ),
    ];
    await pause(1000);
    signalledAt = performance.now();
    const ended = await service.kill('SIGTERM');
    expect(ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - signalledAt).to.be.below(9000);
    await Promise.all(loops);
    expect(pids.filter(isRunning)).to.deep.equal([]);
    const before = seen.filter(({ sentAt }) => sentAt < signalledAt);
    expect(before.length).to.be.above(10);
    expect(before.filter(({ outcome }) => outcome !== 200 && outcome !== 201)).to.deep.equal([]);
    // Later ones are answered, or find no service: no answer is an error.
    expect(seen.filter(({ outcome }) => typeof outcome === 'number' && outcome >= 300)).to.deep.equal([]);
    const shares = answered(service, /\/artifacts$/);
    expect([...shares.keys()].sort()).to.deep.equal(['main', 'reading-1', 'reading-2']);
  });

  it('tell the main process the address of the client, which a client cannot do', async () => {
    const service = await startReading(directory.path, 1, { TRUSTED_PROXIES: '127.0.0.1' });
    const bug = await trackerOf(service, 'bug');
    const values = [{ field_id: bug.fields.get('title')!, value: 'x' }];
    const created = async (headers: Record<string, string>): Promise<string | null> => {
      const answer = await service.post('/artifacts', {
        as: 'alice',
        headers,
        body: { tracker: { id: bug.id }, values },
      });
      return answer.headers.get('location');
    };
    const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'ledger.example.org' };
    expect(await created(proxied)).to.match(/^https:\/\/ledger\.example\.org\/api\/artifacts\/\d+$/);
    // Only the proxy's own address is trusted.
    expect(await created({ ...proxied, 'X-Passed-On-For': '10.0.0.1' })).to.match(/^https:/);
  });

  it('confirm no artifact, because others may have sent another text', async () => {
    const service = await startReading(directory.path, 2);
    const bug = await trackerOf(service, 'bug');
    const values = [{ field_id: bug.fields.get('title')!, value: 'x' }];
    const created = await service.post('/artifacts', { as: 'alice', body: { tracker: { id: bug.id }, values } });
    const path = `/artifacts/${String(created.body.id)}`;
    const basic = { Authorization: `Basic ${Buffer.from("alice:alice's password").toString('base64')}` };
    for (const credentials of [await service.signIn('alice'), basic]) {
      const { headers } = await service.get(path, { headers: credentials });
      const tagged = { ...credentials, 'If-None-Match': headers.get('etag')! };
      for (let nth = 0; nth < 4; nth += 1) expect((await service.get(path, { headers: tagged })).status).to.equal(200);
    }
    await service.kill('SIGTERM');
    // Passwords are checked by the main process.
    expect(answered(service, /^\/api\/artifacts\/\d+$/).get('main')).to.equal(5);
  });
});
