import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { killAll, launch, NO_FILE, startService, type Environment } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('the start of the service', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
  });
  afterEach(async () => {
    await killAll();
    await directory.remove();
  });

  const refused = async (env: Environment, at = dataDir): Promise<string> => {
    const service = launch(at, env);
    expect(await service.ended).to.deep.equal({ code: 1, signal: null });
    expect(service.stdout()).not.to.contain('listening');
    return service.stderr();
  };

  it('names everything that is wrong with the configuration', async () => {
    const said = await refused({
      PORT: '70000',
      JWT_SECRET: 'short',
      PUBLIC_URL: 'ledger',
      TRUSTED_PROXIES: 'localhost',
      INVALID_CREDENTIALS_STATUS: '200',
      LOG_LEVEL: 'loud',
      NODE_ENV: 'development',
      TEST_CLOCK_OFFSET_FILE: 'offset',
    });
    for (const name of [
      'PORT',
      'JWT_SECRET',
      'PUBLIC_URL',
      'TRUSTED_PROXIES',
      'INVALID_CREDENTIALS_STATUS',
      'LOG_LEVEL',
      'TEST_CLOCK_OFFSET_FILE',
    ]) {
      expect(said).to.match(new RegExp(`^- ${name}`, 'm'));
    }
    expect(existsSync(dataDir)).to.equal(false);
  });

  it('is refused where the data directory cannot be one', async () => {
    writeFileSync(dataDir, '');
    expect(await refused({})).to.match(/^DATA_DIR .*data cannot be used: EEXIST/);
    expect(await refused({}, join(dataDir, 'below'))).to.match(/^DATA_DIR .*below cannot be used: ENOTDIR/);
    // Where mkdir answers ENOENT though the directory above is there.
    expect(await refused({}, '/proc/tracker-ledger')).to.match(/^DATA_DIR .* cannot be used: ENOENT/);
    const long = join(directory.path, 'd'.repeat(100));
    expect(await refused({}, long)).to.match(/^DATA_DIR is too long a path for its control socket/);
    expect(existsSync(long)).to.equal(false);
  });

  it('is refused where the read models cannot have a directory, which the error names', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'read-models'), '');
    expect(await refused({})).to.match(/^The directory .*data\/read-models\/\S+ cannot be used: E/);
  });

  it('is refused when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refused({ PORT: String(port) })).to.equal(
      `The service cannot listen on 127.0.0.1, port ${port}: another process does already (PORT)\n`,
    );
    expect(await refused({ HOST: '192.0.2.1' })).to.contain('this machine has no such address (HOST)');
    other.close();
  });

  it('is refused where another service runs, until that has died', async () => {
    const first = await startService(dataDir);
    expect(await refused({})).to.match(
      new RegExp(`^${dataDir} is in use by process ${first.child.pid ?? 0} \\(since .*Z\\)\n$`),
    );
    await first.kill('SIGKILL');
    const second = await startService(dataDir);
    expect(await second.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });

  it('does nothing with a platform file that has errors, and shows them all', async () => {
    const file = join(directory.path, 'platform.yaml');
    expect(await refused({ PLATFORM_FILE: file })).to.match(/^PLATFORM_FILE .*platform.yaml: ENOENT/);
    writeFileSync(file, 'users:\n  - { username: ann, colour: red }\nprojects:\n  - { label: 7 }\n');
    const shape = await refused({ PLATFORM_FILE: file });
    expect(shape).to.match(/^line 2, \/users\/0\/colour: is unknown; known are /m);
    expect(shape).to.match(/^line 4, \/projects\/0\/label: /m);
    expect(existsSync(dataDir)).to.equal(false);

    writeFileSync(
      file,
      `users:
  - { username: ann, real_name: Ann, email: ann@example.org, password: 0123456789abcdef }
projects:
  - { shortname: one, label: One, admins: [nobody] }
  - { shortname: two, label: Two, members: [someone] }
`,
    );
    const meaning = await refused({ PLATFORM_FILE: file });
    expect(meaning).to.match(/^PLATFORM_FILE .*platform.yaml: The platform file is not valid:$/m);
    expect(meaning).to.match(/^line 4, \/projects\/0\/admins\/0: /m);
    expect(meaning).to.match(/^line 5, \/projects\/1\/members\/0: /m);
    writeFileSync(file, 'users: []\n');
    const empty = await startService(dataDir, { PLATFORM_FILE: file });
    expect((await empty.get('/projects')).body).to.deep.equal([]);
    expect(empty.stderr()).to.equal('');
  });

  it('warns once, in production, that addresses follow the request without PUBLIC_URL', async () => {
    const warnings = async (env: Environment): Promise<readonly unknown[]> => {
      const service = await startService(dataDir, { NODE_ENV: 'production', ...env });
      await service.kill('SIGTERM');
      return service.lines().flatMap(({ level, msg }) => (level === 40 ? [msg] : []));
    };
    expect(await warnings({})).to.deep.equal([
      'PUBLIC_URL is not set: Location and svn_url name the host that each request names',
    ]);
    expect(await warnings({ ...NO_FILE, PUBLIC_URL: 'https://ledger.example.org' })).to.deep.equal([]);
  });

  it('warns of a NODE_ENV that resembles production', async () => {
    const service = await startService(dataDir, { NODE_ENV: 'prod' });
    const [warning] = service.lines().filter(({ level }) => level === 40);
    expect(warning).to.include({ nodeEnv: 'prod', msg: 'NODE_ENV is not production; did you mean production?' });
    await service.kill('SIGTERM');
  });

  it('warns of an ARCHIVE_DIR that cannot be written, if archives are on', async () => {
    const [file, archiveDir, below] = ['file.yaml', 'archive', 'archive/below'].map((name) =>
      join(directory.path, name),
    );
    const started = async (archives: boolean, env: Environment) => {
      writeFileSync(file!, `settings: { archive_deleted_artifacts: ${archives} }\n`);
      const service = await startService(dataDir, { PLATFORM_FILE: file!, ...env });
      if (archives && env['ARCHIVE_DIR'] !== undefined) await service.says(/ARCHIVE_DIR/);
      await service.kill('SIGTERM');
      return service.lines().filter(({ level }) => level === 40);
    };
    writeFileSync(archiveDir!, 'no directory');
    expect(await started(false, { ARCHIVE_DIR: archiveDir! })).to.deep.equal([]);
    const [warning, ...others] = await started(true, { ARCHIVE_DIR: below! });
    expect(warning).to.include({
      archiveDir: below!,
      msg: 'ARCHIVE_DIR cannot be written: deleted artifacts are not archived',
    });
    expect(others).to.deep.equal([]);
    expect(await started(true, {}), 'a directory that is still to be made').to.deep.equal([]);
    expect(existsSync(join(dataDir, 'archive'))).to.equal(false);
  });

  it('writes files that only its own user can read', async () => {
    const service = await startService(dataDir);
    await service.signIn('alice');
    expect(service.stdout()).not.to.contain('PUBLIC_URL');
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(files).to.include.members(['log.sqlite', 'read-models', 'jwt-secret', 'control.sock', 'lock.sqlite']);
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
    for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o077, file).to.equal(0);
  });

  it('accepts the tokens of before, for a day', async () => {
    const offset = join(directory.path, 'offset');
    const first = await startService(dataDir, { TEST_CLOCK_OFFSET_FILE: offset });
    const headers = await first.signIn('alice');
    expect((await first.get('/users/self', { headers })).status).to.equal(200);
    const secret = readFileSync(join(dataDir, 'jwt-secret'), 'utf8');
    await first.kill('SIGKILL');

    const second = await startService(dataDir, { TEST_CLOCK_OFFSET_FILE: offset });
    expect(readFileSync(join(dataDir, 'jwt-secret'), 'utf8')).to.equal(secret);
    writeFileSync(offset, String(24 * 3600 - 60));
    expect((await second.get('/users/self', { headers })).status).to.equal(200);
    writeFileSync(offset, String(24 * 3600 + 1));
    expect((await second.get('/users/self', { headers })).status).to.equal(401);
  });

  it('takes its secret, its name and its answer to bad credentials from the environment', async () => {
    const file = join(directory.path, 'secret');
    writeFileSync(file, `${'s'.repeat(40)}\n`);
    const env = {
      JWT_SECRET_FILE: file,
      PUBLIC_URL: 'https://ledger.example.org',
      INVALID_CREDENTIALS_STATUS: '401',
      LOG_LEVEL: 'info',
    };
    const service = await startService(dataDir, env);
    const wrong = await service.post('/tokens', { body: { username: 'alice', password: 'wrong' } });
    expect(wrong.status).to.equal(401);
    expect(existsSync(join(dataDir, 'jwt-secret'))).to.equal(false);
    const headers = await service.signIn('alice');
    const tracker = (await service.get('/projects')).body[0].id as number;
    expect((await service.get(`/projects/${tracker}`, { headers })).status).to.equal(200);
    await service.kill('SIGTERM');
    const other = await startService(dataDir, { JWT_SECRET: 's'.repeat(40) });
    expect((await other.get('/users/self', { headers })).status).to.equal(200);
  });
});
