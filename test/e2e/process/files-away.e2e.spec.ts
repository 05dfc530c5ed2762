import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { killAll, launch, ready, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('a start without the bytes of its files', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let blobs: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    blobs = join(dataDir, 'blobs');
  });
  afterEach(async () => {
    await killAll();
    await directory.remove();
  });

  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const start = () => ready(launch(dataDir));
  const stop = (service: ServiceProcess) => service.kill('SIGTERM');
  const upload = (service: ServiceProcess, text: string) =>
    service.post('/artifact_temporary_files', {
      as: 'carol',
      body: { name: 'notes.txt', mimetype: 'text/plain', content: base64(text) },
    });
  const uploaded = async (service: ServiceProcess, text: string): Promise<number> => {
    const { status, body } = await upload(service, text);
    expect(status).to.equal(201);
    return (body as { id: number }).id;
  };
  const read = (service: ServiceProcess, id: number) => service.get(`/artifact_temporary_files/${id}`, { as: 'carol' });
  const warnings = (service: ServiceProcess) => service.lines().filter(({ level }) => level === 40);

  it('warns, refuses and makes nothing while their file system is not mounted, and goes on once it is', async () => {
    const away = join(directory.path, 'away');
    const first = await start();
    const id = await uploaded(first, 'text');
    await stop(first);
    for (const hasMountPoint of [true, false]) {
      renameSync(blobs, away);
      if (hasMountPoint) mkdirSync(blobs);
      const service = await start();
      expect((await read(service, id)).status).to.equal(503);
      expect((await upload(service, 'more')).status).to.equal(503);
      expect(existsSync(blobs) ? readdirSync(blobs) : null).to.deep.equal(hasMountPoint ? [] : null);
      if (hasMountPoint) rmdirSync(blobs);
      renameSync(away, blobs);
      expect((await read(service, id)).body).to.deep.include({ data: base64('text') });
      const more = await uploaded(service, 'more');
      expect((await read(service, more)).body).to.deep.include({ data: base64('more') });
      await stop(service);
      expect(warnings(service)).to.have.length(1);
      expect(warnings(service)[0]).to.include({
        filesDir: blobs,
        msg:
          'the directory of files holds no bytes, but the log names some: mount its file system, or restore it from a ' +
          'back-up; if the bytes are lost for good, make the empty directory 00 in it',
      });
    }
  });

  it('goes on without bytes that are lost for good where the operator has made the directory', async () => {
    const first = await start();
    const id = await uploaded(first, 'text');
    await stop(first);
    rmSync(blobs, { recursive: true });
    mkdirSync(join(blobs, '00'), { recursive: true });
    const service = await start();
    expect((await read(service, id)).status).to.equal(500);
    await uploaded(service, 'more');
    await stop(service);
    expect(warnings(service)).to.deep.equal([]);
  });

  it('makes the directory anew for a platform to which no file has come', async () => {
    await stop(await start());
    rmSync(blobs, { recursive: true });
    const service = await start();
    await uploaded(service, 'text');
    await stop(service);
    expect(warnings(service)).to.deep.equal([]);
  });
});
