import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { jwtSecrets } from '../../../src/authentication/tokens/jwt-secrets.js';
import { needsProgram } from '../../support/needs-program.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('secrets of tokens', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
  });
  afterEach(() => directory.remove());

  it('are those given', async () => {
    expect(jwtSecrets({ jwtSecrets: ['a', 'b'], dataDir })).to.deep.equal(['a', 'b']);
    expect(await readdir(directory.path)).to.deep.equal([]);
  });

  it('are one made at the first start, which only the owner may read, and kept', async () => {
    const made = jwtSecrets({ jwtSecrets: [], dataDir });
    expect(made).to.have.length(1);
    expect(made[0]).to.match(/^[\w-]{64}$/);
    expect(jwtSecrets({ jwtSecrets: [], dataDir })).to.deep.equal(made);
    expect((await stat(join(dataDir, 'jwt-secret'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(dataDir)).to.deep.equal(['jwt-secret']);
    expect(await readFile(join(dataDir, 'jwt-secret'), 'utf8')).to.equal(`${made[0]!}\n`);
  });

  it('are not guessed from an empty file', async () => {
    jwtSecrets({ jwtSecrets: [], dataDir });
    await writeFile(join(dataDir, 'jwt-secret'), '');
    expect(() => jwtSecrets({ jwtSecrets: [], dataDir })).to.throw('is empty');
  });

  it('are refused from a file whose secrets can be guessed, which stays as it is', async () => {
    const [made = ''] = jwtSecrets({ jwtSecrets: [], dataDir });
    const file = join(dataDir, 'jwt-secret');
    const refused: readonly (readonly [string | Buffer, string])[] = [
      ['abc\n', 'holds a secret of fewer than 32 bytes'],
      [`${'a'.repeat(31)}\n`, 'holds a secret of fewer than 32 bytes'],
      [`${made}\nabc\n`, 'holds a secret of fewer than 32 bytes'],
      ['\0'.repeat(65), 'is damaged'],
      [Buffer.from(`${'ab'.repeat(32)}c3`, 'hex'), 'is damaged'],
      [Buffer.concat([Buffer.from(made), Buffer.from([0xff])]), 'is damaged'],
      ['\n \n', 'is empty'],
    ];
    for (const [text, reason] of refused) {
      await writeFile(file, text);
      expect(() => jwtSecrets({ jwtSecrets: [], dataDir })).to.throw(`${file} ${reason}: remove the file`);
      expect((await readFile(file)).equals(Buffer.from(text))).to.equal(true);
    }
    await writeFile(file, 'ü'.repeat(16));
    expect(jwtSecrets({ jwtSecrets: [], dataDir })).to.deep.equal(['ü'.repeat(16)]);
  });

  it('are refused from a link to a file that is not there', async () => {
    const file = join(directory.path, 'jwt-secret');
    await symlink(join(directory.path, 'mount', 'jwt-secret'), file);
    expect(() => jwtSecrets({ jwtSecrets: [], dataDir: directory.path })).to.throw(`${file} is a link to a file`);
    expect(await readdir(directory.path)).to.deep.equal(['jwt-secret']);
  });

  it('that cannot be read are refused with the file and the directory', async () => {
    await mkdir(join(dataDir, 'jwt-secret'), { recursive: true });
    const reason = `jwt-secret in DATA_DIR ${dataDir} cannot be used: EISDIR: illegal operation on a directory, read`;
    expect(() => jwtSecrets({ jwtSecrets: [], dataDir })).to.throw(reason);
  });

  needsProgram('bash', 'secrets of tokens that cannot be written', () => {
    it('that cannot be written are refused with the file and the directory, and no draft is left', async () => {
      await mkdir(dataDir);
      const script = fileURLToPath(new URL('make-secret-beyond-limit.ts', import.meta.url));
      const command = [process.execPath, '--import', 'tsx', script, dataDir];
      // In a shell of its own, where no file may have a byte, nor a cache of others.
      const env = { ...process.env, TSX_DISABLE_CACHE: '1' };
      const limited = 'ulimit -S -f 0; exec "$@"';
      const { stdout } = await promisify(execFile)('bash', ['-c', limited, 'limited', ...command], { env });
      expect(stdout).to.equal(`jwt-secret in DATA_DIR ${dataDir} cannot be used: EFBIG: file too large, write`);
      expect(await readdir(dataDir)).to.deep.equal([]);
    });
  });
});
