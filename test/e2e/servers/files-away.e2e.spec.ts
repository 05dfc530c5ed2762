import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../../src/logging/logger.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { serverStores, type ServerStores } from '../../support/stores.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

onStandIn('mongo-java-server', 'a start of a process that lacks the file system of FILES_DIR', () => {
  let directory: TemporaryDirectory;
  let stores: ServerStores;
  let api: FileApi | undefined;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    stores = await serverStores('mongo-java-server');
  });
  afterEach(async () => {
    await api?.stop();
    await stores.remove();
    await directory.remove();
  });

  it('warns, answers 503 for bytes, and goes on once it is mounted', async () => {
    const filesDir = join(directory.path, 'files');
    const dataDir = join(directory.path, 'data');
    let logged = '';
    const start = () =>
      fileApi({
        env: { ...stores.env, DATA_DIR: dataDir, FILES_DIR: filesDir },
        logger: createLogger('warn', { write: (line) => (logged += line) }),
      });
    api = await start();
    const id = await api.uploaded('text');
    await api.stop();
    expect(logged).not.to.contain('"filesDir"');
    await rename(filesDir, `${filesDir}.away`);
    await mkdir(filesDir);
    api = await start();
    expect(logged).to.contain(`"filesDir":"${filesDir}","msg":"the directory of files holds no bytes, but the log`);
    const read = () => api!.get(`/artifact_temporary_files/${id}`, { as: 'carol' });
    expect((await read()).status).to.equal(503);
    expect((await api.start('more')).status).to.equal(503);
    expect(await readdir(filesDir)).to.deep.equal([]);
    await rmdir(filesDir);
    await rename(`${filesDir}.away`, filesDir);
    expect((await read()).status).to.equal(200);
    expect((await api.start('more')).status).to.equal(201);
  });
});
