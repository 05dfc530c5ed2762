import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { needsProgram } from '../support/needs-program.js';
import { killAll, PLATFORM_FILE, startService, type ServiceProcess } from '../support/process.js';
import { scriptOf } from '../support/shell-blocks.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

/** Of a token that is not valid, as Tuleap answers it. */
const REFUSED = 500;

needsProgram('sqlite3', 'the back-up of the documentation', () => {
  describe('a back-up and a restore as in docs/operations.md', () => {
    let directory: TemporaryDirectory;
    let api: ServiceProcess;
    let tracker: { readonly id: number; readonly fields: readonly { field_id: number; name: string }[] };
    before(async () => {
      directory = await temporaryDirectory();
      const text = readFileSync(PLATFORM_FILE, 'utf8');
      writeFileSync(at('platform.yaml'), text.replace('settings:', 'settings:\n  archive_deleted_artifacts: true'));
      api = await started();
      const { body: projects } = await api.get('/projects');
      const { body: trackers } = await api.get(`/projects/${projects[0].id}/trackers`);
      tracker = trackers.find(({ item_name: name }: { item_name: string }) => name === 'bug');
    });
    after(async () => {
      await killAll();
      await directory.remove();
    });

    const at = (name: string): string => join(directory.path, name);
    const started = () => startService(at('data'), { PLATFORM_FILE: at('platform.yaml') });
    const field = (wanted: string) => tracker.fields.find(({ name }) => name === wanted)?.field_id;
    const shell = (script: string) => run('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory.path });
    const uploaded = async (text: string): Promise<number> => {
      const content = Buffer.from(text).toString('base64');
      const body = { name: 'notes.txt', mimetype: 'text/plain', content };
      const answer = await api.post('/artifact_temporary_files', { as: 'carol', body });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return answer.body.id;
    };
    const created = async (title: string): Promise<number> => {
      const file = await uploaded(title);
      const values = [
        { field_id: field('title'), value: title },
        { field_id: field('attachments'), value: [file] },
      ];
      const answer = await api.post('/artifacts', {
        as: 'carol',
        body: { tracker: { id: tracker.id }, values },
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return file;
    };
    const titles = async (): Promise<readonly string[]> => {
      const { body } = await api.get(`/trackers/${tracker.id}/artifacts`, { as: 'carol' });
      return body.map(({ title }: { title: string }) => title);
    };
    const contentOf = async (file: number): Promise<string> => {
      const { body } = await api.get(`/artifact_files/${file}`, { as: 'carol' });
      return Buffer.from(body.data, 'base64').toString();
    };

    it('restore the state of the back-up with files and archives, and no later change', async () => {
      const file = await created('kept');
      await created('deleted');
      const { body } = await api.get(`/trackers/${tracker.id}/artifacts`, { as: 'carol' });
      const gone = body.find(({ title }: { title: string }) => title === 'deleted').id;
      expect((await api.request('DELETE', `/artifacts/${gone}`, { as: 'alice' })).status).to.equal(200);
      const archived = readdirSync(at('data/archive'));
      expect(archived).to.not.deep.equal([]);
      const token = await api.signIn('carol');
      const self = async () => (await fetch(`${api.url}/api/users/self`, { headers: token })).status;
      const secret = readFileSync(at('data/jwt-secret'));

      await shell(scriptOf('backup'));
      expect(readdirSync(at('backup'))).not.to.include('jwt-secret');
      // As an older back-up, which holds the secret of the tokens that have been signed out since.
      writeFileSync(at('backup/jwt-secret'), secret);
      await created('later');
      expect(await self()).to.equal(200);
      expect((await api.request('DELETE', '/tokens', { as: 'carol' })).status).to.equal(200);
      expect(await self()).to.equal(REFUSED);
      await api.kill('SIGTERM');
      await shell(scriptOf('restore'));
      api = await started();

      expect(await titles()).to.deep.equal(['kept']);
      expect(await contentOf(file)).to.equal('kept');
      expect(readdirSync(at('data/archive'))).to.deep.equal(archived);
      expect(await self()).to.equal(REFUSED);
      await created('after the restore');
      expect(await titles()).to.deep.equal(['kept', 'after the restore']);
    });

    const status = (script: string, cwd: string) => spawnSync('bash', ['-c', script], { cwd, stdio: 'ignore' }).status;

    it('end with an error if the back-up cannot be copied', () => {
      mkdirSync(at('lost/data'), { recursive: true });
      expect(status(scriptOf('restore'), at('lost'))).to.be.above(0);
    });

    it('end with an error, and leave the data as it is, if it cannot be moved away', () => {
      for (const part of ['data', 'backup']) mkdirSync(at(`held/${part}`), { recursive: true });
      for (const file of ['data/jwt-secret', 'data.before']) writeFileSync(at(`held/${file}`), '');
      expect(status(scriptOf('restore'), at('held'))).to.be.above(0);
      expect(readdirSync(at('held/data'))).to.deep.equal(['jwt-secret']);
    });

    it('end with an error, and without the other parts, if the log cannot be copied', async () => {
      mkdirSync(at('damaged/data/blobs'), { recursive: true });
      writeFileSync(at('damaged/data/log.sqlite'), 'this is no database');
      const failed = await run('bash', ['-c', scriptOf('backup')], { cwd: at('damaged') }).then(
        () => null,
        (error: unknown) => (error as { stderr: string }).stderr,
      );
      expect(failed).to.contain('file is not a database');
      expect(readdirSync(at('damaged/backup'))).not.to.include('blobs');
    });
  });
});
