/** What of `deploy` cannot be run without the servers is at least read by what would run it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect } from 'chai';
import { needsProgram } from '../support/needs-program.js';
import { ROOT, textOf } from './compose-files.js';

const files = readdirSync(`${ROOT}deploy`);
const ending = (suffix: string): readonly string[] =>
  files.filter((file) => file.endsWith(suffix)).map((file) => `deploy/${file}`);

/** By its first line; empty where that names none. */
const shellOf = (text: string): string => /^#!\/bin\/(\w+)\n/.exec(text)?.[1] ?? '';

interface Verdict {
  readonly isGood: boolean;
  readonly said: string;
}

function verdict(program: string, args: readonly string[], input = ''): Verdict {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { isGood: status === 0, said: `${stdout}${stderr}` };
}

describe('the scripts of deploy', () => {
  it('are all here, and say what they are for', () => {
    const shells = ending('.sh').map((file) => [file, shellOf(textOf(file))]);
    expect(Object.fromEntries(shells)).to.deep.equal({
      'deploy/eventstoredb-health.sh': 'sh',
      'deploy/eventstoredb.sh': 'sh',
      'deploy/make-secrets.sh': 'sh',
      'deploy/restart.sh': 'sh',
      'deploy/setup.sh': 'bash',
    });
    expect(ending('.mongodb')).to.deep.equal(['deploy/replica-set.mongodb']);
  });

  for (const file of ending('.sh')) {
    const text = textOf(file);
    const shell = shellOf(text);
    needsProgram(shell, `the syntax of ${file}`, () => {
      const isGood = (script: string) => verdict(shell, ['-n'], script);

      it(`can be read by ${shell}: ${file}`, () => {
        expect(isGood(text)).to.deep.equal({ isGood: true, said: '' });
      });

      it(`could not with a fault: ${file}`, () => {
        expect(isGood(`${text}\nif true; then\n`).isGood).to.equal(false);
        expect(isGood(`${text}\necho "open\n`).isGood).to.equal(false);
      });
    });
  }

  for (const file of ending('.mongodb')) {
    it(`can be read as the JavaScript that mongosh runs: ${file}`, () => {
      expect(() => new Script(textOf(file))).not.to.throw();
    });

    it(`could not with a fault: ${file}`, () => {
      expect(() => new Script(`${textOf(file)}\n}`)).to.throw(SyntaxError);
      expect(() => new Script(textOf(file).replace('const isUp', 'const first'))).to.throw(SyntaxError);
    });
  }
});

needsProgram('haproxy', 'the syntax of deploy/haproxy.cfg', () => {
  needsProgram('openssl', 'the syntax of deploy/haproxy.cfg', () => {
    describe('the configuration of the proxy', () => {
      let directory: string;
      before(() => {
        directory = mkdtempSync(join(tmpdir(), 'proxy-'));
        const [key, certificate] = [join(directory, 'tls.pem.key'), join(directory, 'tls.pem')];
        const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
        expect(verdict('openssl', ['req', ...made, '-keyout', key, '-out', certificate]).isGood).to.equal(true);
      });
      after(() => {
        rmSync(directory, { recursive: true });
      });

      /** With a certificate where this machine has one. The version that is found need not be that of the image. */
      const checked = (before = '', after = ''): Verdict => {
        const text = textOf('deploy/haproxy.cfg');
        expect(text).to.include('crt /private/tls.pem').and.to.include(before);
        const file = join(directory, 'haproxy.cfg');
        writeFileSync(file, text.replace(before, after).replace('/private/tls.pem', join(directory, 'tls.pem')));
        return verdict('haproxy', ['-c', '-f', file]);
      };

      it('is taken by HAProxy', () => {
        const { isGood, said } = checked();
        expect(isGood, said).to.equal(true);
      });

      it('could not with a fault', () => {
        expect(checked('default_backend api', 'default_backend apis')).to.include({ isGood: false });
        expect(checked('check inter 2s', 'chekc inter 2s')).to.include({ isGood: false });
        expect(checked('timeout client 90s', 'timeout client soon')).to.include({ isGood: false });
        expect(checked('resolvers network init-addr', 'resolvers networks init-addr')).to.include({ isGood: false });
      });
    });
  });
});
