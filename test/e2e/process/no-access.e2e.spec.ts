import { chmodSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { killAll, PLATFORM_FILE, ready, run, type Environment, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

// Root may use every directory.
if (process.getuid?.() !== 0) {
  describe('a directory', () => {
    let directory: TemporaryDirectory;
    let dataDir: string;
    beforeEach(async () => {
      directory = await temporaryDirectory();
      dataDir = join(directory.path, 'data');
      mkdirSync(dataDir);
    });
    afterEach(async () => {
      await killAll();
      await directory.remove();
    });

    const started = (args: readonly string[], env: Environment = {}) =>
      run(args, { DATA_DIR: dataDir, PORT: '0', NODE_ENV: 'test', PLATFORM_FILE, ...env });

    it('of files that cannot be written is warned of, and an upload is 503 without its path', async () => {
      const blobs = join(dataDir, 'blobs');
      await (await ready(started(['start']))).kill('SIGTERM');
      for (const [locked, call] of [
        [blobs, 'mkdir'],
        [join(blobs, 'incoming'), 'open'],
      ] as const) {
        chmodSync(locked, 0o500);
        const service = await ready(started(['start']));
        await service.says(/"filesDir"/);
        const warnings = service.lines().filter(({ level }) => level === 40);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.include({
          filesDir: blobs,
          reason: `EACCES: permission denied, access '${locked}'`,
          msg: 'the directory of files cannot be written: uploads are refused',
        });
        const body = { name: 'notes.txt', mimetype: 'text/plain', content: Buffer.from('text').toString('base64') };
        const answer = await service.post('/artifact_temporary_files', { as: 'carol', body });
        expect(answer.status).to.equal(503);
        expect(answer.headers.get('retry-after')).to.equal('60');
        expect(answer.body).to.deep.equal({
          error: { code: 503, message: 'Service Unavailable: Files cannot be stored' },
        });
        await service.kill('SIGTERM');
        const [line] = service.lines().filter(({ status }) => status === 503);
        expect(line?.['reason']).to.match(
          new RegExp(`^Files cannot be stored: EACCES: permission denied, ${call} '${blobs}/`),
        );
        chmodSync(locked, 0o700);
      }
    });

    it('of files that cannot be written, and lacks what a restore leaves out, serves its files, and takes more after a start that may', async () => {
      const blobs = join(dataDir, 'blobs');
      const upload = (service: ServiceProcess, text: string) => {
        const body = { name: 'notes.txt', mimetype: 'text/plain', content: Buffer.from(text).toString('base64') };
        return service.post('/artifact_temporary_files', { as: 'carol', body });
      };
      const first = await ready(started(['start']));
      const { id } = (await upload(first, 'text')).body as { id: number };
      await first.kill('SIGTERM');
      for (const name of ['incoming', 'outgoing']) rmdirSync(join(blobs, name));
      chmodSync(blobs, 0o500);
      const service = await ready(started(['start']));
      await service.says(/"the directory of files cannot be written: uploads are refused"/);
      const { body } = await service.get(`/artifact_temporary_files/${id}`, { as: 'carol' });
      expect(body).to.deep.include({ data: Buffer.from('text').toString('base64') });
      expect(await upload(service, 'more')).to.include({ status: 503 });
      expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
      chmodSync(blobs, 0o700);
      const next = await ready(started(['start']));
      expect((await upload(next, 'more')).status).to.equal(201);
      await next.kill('SIGTERM');
      chmodSync(blobs, 0o000);
      const blind = started(['start']);
      expect(await blind.ended).to.deep.equal({ code: 1, signal: null });
      expect(blind.stderr()).to.match(
        new RegExp(`^The directory of files ${blobs} cannot be used: EACCES: permission denied, `),
      );
      chmodSync(blobs, 0o700);
    });

    it('in which no socket can be made is named by the start, with the whole path', async () => {
      // The databases need no new files beside them.
      await (await ready(started(['start']))).kill('SIGKILL');
      rmSync(join(dataDir, 'control.sock'));
      chmodSync(dataDir, 0o500);
      const service = started(['start']);
      expect(await service.ended).to.deep.equal({ code: 1, signal: null });
      chmodSync(dataDir, 0o700);
      expect(service.stderr()).to.equal(
        `DATA_DIR ${dataDir} cannot be used: listen EACCES: permission denied ${dataDir}/control.sock\n`,
      );
    });

    it('that becomes read-only does not keep a service from its end', async () => {
      const service = await ready(started(['start']));
      const closed = [dataDir, join(dataDir, 'blobs')];
      for (const path of closed) chmodSync(path, 0o500);
      const ended = await service.kill('SIGTERM');
      for (const path of closed) chmodSync(path, 0o700);
      expect(ended, service.stderr()).to.deep.equal({ code: 0, signal: null });
      expect(service.stderr()).to.equal('');
      await (await ready(started(['start']))).kill('SIGTERM');
    });

    it('of another user is named by each command, with the reason', async () => {
      await (await ready(started(['start']))).kill('SIGTERM');
      chmodSync(dataDir, 0o000);
      const servers = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1/none' };
      const commands: readonly (readonly [readonly string[], string, Environment?])[] = [
        [['prepare'], `EACCES: permission denied, stat '${dataDir}/log.sqlite'`],
        [['status'], `connect EACCES ${dataDir}/control.sock`],
        [['platform', 'export'], `connect EACCES ${dataDir}/control.sock`],
        [
          ['migrate', '--from', 'embedded', '--to', 'production'],
          `EACCES: permission denied, stat '${dataDir}/log.sqlite'`,
          { ...servers, JWT_SECRET: 's'.repeat(40) },
        ],
      ];
      for (const [args, reason, env] of commands) {
        const process = started(args, env);
        expect((await process.ended).code, args.join(' ')).to.equal(1);
        expect(process.stderr()).to.include(`DATA_DIR ${dataDir} cannot be used: ${reason}`);
      }
      chmodSync(dataDir, 0o700);
      chmodSync(directory.path, 0o000);
      const process = started(['rebuild']);
      await process.ended;
      chmodSync(directory.path, 0o700);
      expect(process.stderr()).to.match(/^DATA_DIR .* cannot be used: connect EACCES /);
    });
  });
}
