import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { handle } from '../../../src/core/handle.js';
import { deletionDecider } from '../../../src/artifacts/deletions/deletion-count.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { killAll, startService } from '../../support/process.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { deletionApi } from './deletion-api.js';

describe('the start of the service', () => {
  after(killAll);

  it('resumes what a crash cut off of deletions and archives, once it is overdue', async () => {
    const files = await temporaryDirectory();
    const api = await deletionApi(files);
    await api.settings({ type: 'SetArchiving', enabled: true });
    const [counted, deleted] = [await api.created(), await api.created()];
    mkdirSync(dirname(api.archiveDir), { recursive: true });
    writeFileSync(api.archiveDir, 'in the way');
    expect((await api.remove(deleted)).status).to.equal(200);
    rmSync(api.archiveDir);
    const userId = api.user('bob');
    const at = api.service.clock().toISOString();
    await handle(api.service.log, deletionDecider, {
      stream: deletionsStream(userId),
      commandId: 'cut off',
      metadata: { actor: userId, at },
      command: () =>
        ({ type: 'CountDeletion', userId, artifactId: counted, deletionId: 'cut off', at, limit: 5 }) as const,
    });
    await api.stop();

    const offset = join(files.path, 'offset');
    writeFileSync(offset, '60');
    const service = await startService(join(files.path, 'data'), { TEST_CLOCK_OFFSET_FILE: offset });
    await service.says(/"what":"deletions","count":1/);
    await service.says(/"what":"archives","count":1/);
    expect((await service.get(`/artifacts/${counted}`)).status).to.equal(404);
    expect(readdirSync(api.archiveDir).join(' ')).to.match(new RegExp(`deleted_artifact_${deleted}_\\w+\\.xml`));
    await service.kill('SIGTERM');
    await files.remove();
  });
});
