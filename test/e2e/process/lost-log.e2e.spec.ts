import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { killAll, launch, startService, type Environment } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const DEMO = { PLATFORM_FILE: '', NODE_ENV: 'development' };
const SECRET = `${'s'.repeat(40)}\n`;
const BLOB = '0'.repeat(62);

describe('a start in a directory without a log', () => {
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

  const at = (...path: string[]): string => join(dataDir, ...path);
  const put = (text: string, ...path: string[]): void => {
    mkdirSync(at(...path.slice(0, -1)), { recursive: true });
    writeFileSync(at(...path), text);
  };
  const emptyLog = async (): Promise<void> => (await sqliteEventLog(dataDir)).close();
  const asAtFirst = (): void => {
    for (const name of ['incoming', 'outgoing']) mkdirSync(at('blobs', name), { recursive: true });
    put(SECRET, 'jwt-secret');
    put('{"ids":[],"complete":false}', 'demo.json');
  };
  const refused = async (env: Environment = {}): Promise<string> => {
    const service = launch(dataDir, env);
    expect(await service.ended).to.deep.equal({ code: 1, signal: null });
    expect(service.stdout()).to.equal('');
    return service.stderr();
  };
  const starts = async (env: Environment = {}): Promise<void> => {
    const service = await startService(dataDir, env);
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  };

  it('is refused, again and again, after a restore that lacks the log of a platform without files', async () => {
    await starts();
    for (const name of readdirSync(dataDir)) {
      if (!['blobs', 'jwt-secret'].includes(name)) rmSync(at(name), { recursive: true });
    }
    const reason =
      `DATA_DIR ${dataDir} holds blobs of an earlier platform, but its log, log.sqlite, is missing or empty. ` +
      'A new log would give the ids of users to others, for whom tokens from before would be valid. ' +
      'Restore log.sqlite from a back-up; or, for a new platform, use an empty directory\n';
    for (const start of [1, 2]) expect(await refused(), String(start)).to.equal(reason);
    expect(existsSync(at('log.sqlite'))).to.equal(false);
    writeFileSync(at('log.sqlite'), '');
    for (const start of [1, 2]) expect(await refused(), String(start)).to.equal(reason);
  });

  it('is refused beside a file, an archive or a filled demo, also if the log has a table without events', async () => {
    const leftovers: readonly (readonly [string, () => void])[] = [
      [
        'blobs',
        () => {
          put('text', 'blobs', '00', BLOB);
        },
      ],
      [
        'archive',
        () => {
          put('<xml/>', 'archive', 'deleted_artifact_7_20260301T120000Z.xml');
        },
      ],
      [
        'demo.json',
        () => {
          put('{"ids":[101],"complete":false}', 'demo.json');
        },
      ],
      [
        'demo.json',
        () => {
          put('{"ids":[],"complete":true}', 'demo.json');
        },
      ],
    ];
    for (const [name, leave] of leftovers) {
      rmSync(dataDir, { recursive: true });
      asAtFirst();
      await emptyLog();
      leave();
      for (const env of [{}, DEMO]) {
        expect(await refused(env)).to.contain(
          `holds ${name} of an earlier platform, but its log, log.sqlite, has no events`,
        );
      }
    }
    for (const [, leave] of leftovers) leave();
    rmSync(at('log.sqlite'));
    expect(await refused()).to.contain('holds blobs and archive and demo.json of an earlier platform');
  });

  it('makes a new platform beside a secret that an operator has put there, and beside empty directories', async () => {
    put(SECRET, 'jwt-secret');
    for (const name of ['blobs/lost+found', 'archive/lost+found']) mkdirSync(at(name), { recursive: true });
    await starts();
  });

  it('makes a new platform where an earlier start ended before its first event', async () => {
    for (const env of [{}, DEMO]) {
      rmSync(dataDir, { recursive: true });
      asAtFirst();
      await emptyLog();
      await starts(env);
    }
  });

  it('goes on with a first start that was killed, at whatever it was', async () => {
    for (const made of ['log.sqlite', 'blobs', 'demo.json']) {
      rmSync(dataDir, { recursive: true });
      const first = launch(dataDir, DEMO);
      while (!existsSync(at(made))) await setTimeout(1);
      await first.kill('SIGKILL');
      await starts(DEMO);
    }
  });
});
