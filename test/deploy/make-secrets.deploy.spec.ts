import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { platformFixture } from '../platform-file/platform-fixture.js';
import { needsProgram } from '../support/needs-program.js';
import { BASE, project, ROOT } from './compose-files.js';

const run = promisify(execFile);

const CLOSED = `
settings: { anonymous_access: false }
users: [{ username: ann, real_name: Ann, email: ann@example.org, password: secret }]
projects: [{ shortname: lab, label: Lab, access: private, members: [ann] }]
`;

needsProgram('openssl', 'deploy/make-secrets.sh', () => {
  describe('deploy/make-secrets.sh', () => {
    let directory: string;
    let first: ReadonlyMap<string, string>;
    const make = () =>
      run('sh', [`${ROOT}deploy/make-secrets.sh`, directory], { env: { ...process.env, LEDGER_HOST: 'example.org' } });
    const secrets = () =>
      new Map(readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'secrets-'));
      await make();
      first = secrets();
    });
    after(() => {
      rmSync(directory, { recursive: true });
    });

    it('makes every secret that the compose file names, and no other', () => {
      const named = Object.values(project(BASE).secrets).map(({ file }) => file.replace('./deploy/secrets/', ''));
      expect([...first.keys()]).to.have.members(named);
    });

    it('makes them long, different, and readable by their owner alone', () => {
      expect(new Set(first.values()).size).to.equal(first.size);
      for (const [file, text] of first) {
        expect(text, file).to.have.length.above(64);
        expect(statSync(join(directory, file)).mode & 0o777, file).to.equal(0o600);
      }
    });

    it('makes a platform file that the service takes, with an administrator', () => {
      const { file } = parsePlatformFile(first.get('platform.yaml') ?? '');
      expect(file.users?.map(({ username, site_admin: isAdmin }) => ({ username, isAdmin }))).to.deep.equal([
        { username: 'admin', isAdmin: true },
      ]);
    });

    it('makes a platform file that changes nothing on a closed platform that it was applied to before', async () => {
      const made = first.get('platform.yaml') ?? '';
      const platform = await platformFixture();
      try {
        await platform.apply(made);
        await platform.apply(CLOSED);
        expect(await platform.plan(made)).to.deep.equal([]);
        expect(await platform.plan('settings: null')).to.deep.equal([
          'open the platform to anonymous readers [widens access]',
        ]);
      } finally {
        await platform.close();
      }
    });

    it('makes a platform file that only registers its administrator on a platform with other users', async () => {
      const platform = await platformFixture();
      try {
        await platform.apply(CLOSED);
        expect(await platform.plan(first.get('platform.yaml') ?? '')).to.deep.equal([
          'register user admin [widens access]',
        ]);
      } finally {
        await platform.close();
      }
    });

    it('makes a certificate and its key, in one file, for the host', async () => {
      const pem = join(directory, 'tls.pem');
      const { stdout } = await run('openssl', ['x509', '-in', pem, '-noout', '-checkhost', 'example.org']);
      expect(stdout).to.include('does match');
      await run('openssl', ['pkey', '-in', pem, '-noout', '-check']);
    });

    it('overwrites nothing, and makes again what was removed', async () => {
      const { stdout } = await make();
      expect(stdout).not.to.include('made');
      expect(secrets()).to.deep.equal(first);

      rmSync(join(directory, 'jwt_secret'));
      await make();
      const second = secrets();
      expect(second.get('jwt_secret')).not.to.equal(first.get('jwt_secret'));
      expect(new Map([...second, ['jwt_secret', first.get('jwt_secret')]])).to.deep.equal(first);
    });
  });
});
