import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compiled } from '../../support/build.js';
import { failingSync } from '../../support/failing-disk.js';
import { needsProgram } from '../../support/needs-program.js';
import { command, killAll, launch, PLATFORM_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { checkRaw } from '../../support/raw-answers.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';

const ORDERLY = { code: 0, signal: null };
/** Seconds of work: two appends for each, of the name and of the project. */
const MANY_PROJECTS = `users: [{ username: ann, real_name: A, email: a@b, password: ann, site_admin: true }]
projects: [${Array.from({ length: 1000 }, (_, nth) => `{ shortname: p${nth}, label: P }`).join(', ')}]`;
/** Of the first appends. */
const SOME_BYTES = 200_000;
const STARTS = 5;

describe('the end of the service', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await killAll();
    await directory.remove();
  });

  /** In bytes of the log, since the service has started. */
  const appended = (): number => statSync(join(directory.path, 'log.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0;

  /** What comes back until the other side closes. */
  const opened = async ({ port }: ServiceProcess): Promise<{ socket: Socket; all: Promise<string> }> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    return { socket, all: once(socket, 'close').then(() => text) };
  };

  it('answers running requests first, and waits for no idle connection', async () => {
    const service = await startService(directory.path);
    const headers = await service.signIn('alice');
    const silent = await opened(service);
    const idle = await opened(service);
    idle.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle.socket, 'data');
    const { url } = service;
    const half = await opened(service);
    half.socket.write('GET /health/live HTTP/1.1\r\nHo');
    const slow = await opened(service);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    slow.socket.write(
      `DELETE /api/tokens/none HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(slow.socket, 'data');

    const started = performance.now();
    const ended = service.kill('SIGTERM');
    await service.says(/"msg":"stopping"/);
    expect(await idle.all).to.contain('200 OK');
    await checkRaw(url, await idle.all, 'GET', '/health/live');
    expect(await half.all).to.equal('');
    expect(await silent.all).to.equal('');
    slow.socket.write('{}');
    expect(await slow.all).to.match(/HTTP\/1.1 400 [^]*connection: close/i);
    await checkRaw(url, await slow.all, 'DELETE', '/api/tokens/none');
    expect(await ended).to.deep.equal(ORDERLY);
    expect(performance.now() - started).to.be.below(5000);
    expect(service.lines().at(-1)).to.include({ msg: 'stopped' });
  });

  it('lets requests come for as long as it is to drain, while it is not ready', async () => {
    const service = await startService(directory.path, { DRAIN_SECONDS: '10' });
    const kept = await opened(service);
    const started = performance.now();
    const ended = service.kill('SIGTERM');
    await service.says(/"msg":"stopping"/);
    const probe = await fetch(`${service.url}/health/ready`);
    expect(probe.status).to.equal(503);
    expect((await service.get('/projects')).status).to.equal(200);
    await service.signIn('alice');
    kept.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await kept.all).to.contain('200 OK');
    expect(await ended).to.deep.equal(ORDERLY);
    expect(performance.now() - started).to.be.at.least(10_000);
  });

  needsProgram('cc', 'the end of a service that fails while it drains', () => {
    it('is not put off by the draining once a part of the service has failed', async () => {
      const marker = join(directory.path, 'failing');
      const failing = failingSync(directory.path, '/log.sqlite-wal', marker);
      const service = await startService(directory.path, { DRAIN_SECONDS: '60', ...failing });
      const { id, fields } = await trackerOf(service, 'bug');
      const ended = service.kill('SIGTERM');
      await service.says(/"msg":"stopping"/);
      writeFileSync(marker, '');
      const values = [{ field_id: fields.get('title'), value: 'Crash' }];
      const { status } = await service.post('/artifacts', { as: 'alice', body: { tracker: { id }, values } });
      expect(status).to.equal(503);
      expect(await ended).to.deep.equal({ code: 1, signal: null });
    });
  });

  it('leaves no creation of PLATFORM_FILE half made', async () => {
    const file = join(directory.path, 'many.yaml');
    writeFileSync(file, MANY_PROJECTS);
    for (let start = 0; start < STARTS; start += 1) {
      const service = launch(directory.path, { PLATFORM_FILE: file });
      while (appended() < SOME_BYTES) await setTimeout(1 + start);
      expect(await service.kill('SIGTERM'), service.stderr()).to.deep.equal(ORDERLY);
      const { stdout } = await command(['platform', 'plan', file], { DATA_DIR: directory.path, NODE_ENV: 'test' });
      expect(stdout).to.match(/^register project p999$/m);
      expect(stdout).not.to.contain('cut off');
    }
  });

  it('lets a platform apply complete the change that is under way, and tells of those before', async () => {
    const service = await startService(directory.path);
    const file = join(directory.path, 'many.yaml');
    writeFileSync(file, MANY_PROJECTS);
    const enough = appended() + SOME_BYTES;
    const applying = command(['platform', 'apply', file], { DATA_DIR: directory.path, NODE_ENV: 'test' });
    while (appended() < enough) await setTimeout(1);
    expect(await service.kill('SIGTERM'), service.stderr()).to.deep.equal(ORDERLY);
    const { code, stderr } = await applying;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^The service is stopping\. \d+ changes were applied before: apply the file again$/m);
  });

  it('comes in order, too, upon SIGHUP', async () => {
    const service = await startService(directory.path);
    expect(await service.kill('SIGHUP')).to.deep.equal(ORDERLY);
    expect(service.lines().at(-1)).to.include({ msg: 'stopped' });
  });

  needsProgram('python3', 'the end of a service whose terminal is closed', () => {
    it('comes in order when the terminal is closed, of all its processes', async () => {
      const script = fileURLToPath(new URL('close-terminal.py', import.meta.url));
      const program = [process.execPath, join(compiled('.'), 'src/cli/tracker-ledger.js'), 'start'];
      const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: directory.path, PORT: '0', WORKERS: '1', PLATFORM_FILE };
      const { stdout } = await promisify(execFile)('python3', [script, ...program], { env });
      expect(stdout).to.equal('status 0\n');
      expect((await startService(directory.path)).lines().at(-1)).to.include({ msg: 'ready' });
    });
  });

  it('is not brought about by SIGUSR1, which opens no debugger', async () => {
    const service = await startService(directory.path);
    service.child.kill('SIGUSR1');
    expect(await service.kill('SIGTERM')).to.deep.equal(ORDERLY);
    expect(service.stderr()).not.to.contain('Debugger');
  });

  it('cuts off who is too slow, in less than ten seconds', async () => {
    const service = await startService(directory.path);
    const slow = await opened(service);
    slow.socket.write(
      'POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{',
    );
    const stopping = service.says(/"msg":"stopping"/);
    const started = performance.now();
    const ended = service.kill('SIGINT');
    await stopping;
    expect(await slow.all).to.equal('');
    expect(await ended).to.deep.equal(ORDERLY);
    expect(performance.now() - started).to.be.within(1000, 10_000);
  });

  it('comes in order also before the service listens, and leaves a directory to start from', async () => {
    // Holds the lock as soon as the note about the holder is there: the log and the read models are being opened.
    const holder = join(directory.path, 'holder.json');
    for (let start = 0; start < 3; start += 1) {
      const service = launch(directory.path);
      while (!existsSync(holder)) await setTimeout(1 + start * 10);
      expect(await service.kill('SIGTERM'), service.stderr()).to.deep.equal(ORDERLY);
      expect(service.stdout()).not.to.contain('listening');
      expect(existsSync(holder)).to.equal(false);
    }
    const next = await startService(directory.path);
    expect((await next.get('/projects')).status).to.equal(200);
  });
});
