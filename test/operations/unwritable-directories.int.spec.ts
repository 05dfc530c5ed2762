import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pino from 'pino';
import { readConfig, type Config } from '../../src/config/config.js';
import { warnOfDirectories } from '../../src/operations/unwritable-directories.js';
import { definitionsOf } from '../support/definitions.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('directories that cannot be written', () => {
  let directory: TemporaryDirectory;
  let config: Config;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const env = { DATA_DIR: join(directory.path, 'data'), ARCHIVE_DIR: join(directory.path, 'archive') };
    config = readConfig({ ...env, NODE_ENV: 'test' });
  });
  afterEach(() => directory.remove());

  const warnings = async (archives: boolean): Promise<readonly Record<string, unknown>[]> => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
    const none = definitionsOf();
    const platform = () => ({ ...none.platform(), archiveDeletedArtifacts: archives });
    await warnOfDirectories(
      config,
      { definitions: { ...none, platform } },
      pino({ base: null, timestamp: false }, { write }),
    );
    return lines;
  };

  it('are warned of where files or archives are to be kept in them', async () => {
    expect(await warnings(true)).to.deep.equal([]);
    const blobs = join(config.dataDir, 'blobs');
    mkdirSync(blobs, { recursive: true });
    writeFileSync(join(blobs, 'incoming'), '');
    writeFileSync(config.archiveDir, '');
    const files = {
      level: 40,
      filesDir: blobs,
      reason: `${join(blobs, 'incoming')} is not a directory`,
      msg: 'the directory of files cannot be written: uploads are refused',
    };
    const archives = {
      level: 40,
      archiveDir: config.archiveDir,
      reason: `${config.archiveDir} is not a directory`,
      msg: 'ARCHIVE_DIR cannot be written: deleted artifacts are not archived',
    };
    expect(await warnings(true)).to.deep.equal([files, archives]);
    expect(await warnings(false)).to.deep.equal([files]);
  });
});
