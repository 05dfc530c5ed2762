import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { killAll, launch, PLATFORM_FILE, startService, type Running } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

/** No platform file is named. */
const DEMO = { PLATFORM_FILE: '' };

describe('the demo', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const at = (name: string): string => join(directory.path, name);

  it('fills an empty service, and says how to begin', async () => {
    const service = await startService(at('whole'), { ...DEMO, HOST: '0.0.0.0' });
    await service.says(/DATA_DIR=.* PLATFORM_FILE=platform.yaml npm start/);
    expect(service.lines().find(({ msg }) => msg === 'listening')?.['host']).to.equal('127.0.0.1');
    expect(service.stdout()).not.to.contain('DATA_DIR holds the demo');
    const said = service.stderr();
    expect(said).to.contain("Everybody's password: tracker-ledger");
    const example = /curl .* -d '(\{.*\})' (http:\S+)/.exec(said);
    const answer = await fetch(example![2]!, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: example![1]!,
    });
    expect(answer.status).to.equal(200);
    expect(((await service.get('/projects')).body as unknown[]).length).to.be.above(0);
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });

  it('is completed by the next starts where it was cut off, without doubles', async () => {
    // Each start gets a little further before it is killed: by the number of events it has added.
    let isComplete = false;
    for (let start = 0; !isComplete && start < 3; start += 1) {
      const service = launch(at('cut'), DEMO);
      await untilGrown(at('cut'), 100, service);
      await service.kill(start === 1 ? 'SIGTERM' : 'SIGKILL');
      isComplete = completed(at('cut'));
    }
    expect(isComplete).to.equal(false);
    const service = await startService(at('cut'), DEMO);
    await service.kill('SIGTERM');
    expect(completed(at('cut'))).to.equal(true);
    expect(await story(at('cut'))).to.deep.equal(await story(at('whole')));
  });

  it('stays on this machine, warns of a platform file, is filled once, and is not for production', async () => {
    const service = await startService(at('whole'), { HOST: '0.0.0.0' });
    expect(service.lines().find(({ msg }) => msg === 'listening')?.['host']).to.equal('127.0.0.1');
    const unused = 'HOST is not used: the demo listens on this machine only';
    expect(service.lines().find(({ msg }) => msg === unused)).to.include({ level: 40, host: '0.0.0.0' });
    const added = /^DATA_DIR holds the demo: PLATFORM_FILE adds to it/;
    const warnings = service.lines().filter(({ msg }) => added.test(String(msg)));
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ level: 40, platformFile: PLATFORM_FILE, dataDir: at('whole') });
    await service.kill('SIGTERM');
    for (const [name, env] of [
      ['whole', DEMO],
      ['whole', {}],
      ['new', DEMO],
    ] as const) {
      const refused = launch(at(name), { ...env, NODE_ENV: 'production' });
      expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
      expect(refused.stderr()).to.match(/^In production the service /);
    }
  });

  it('is recognised in a copy without its mark, and is not filled again', async () => {
    const filled = await story(at('whole'));
    rmSync(join(at('whole'), 'demo.json'));
    const refused = launch(at('whole'), { NODE_ENV: 'production' });
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(/^In production the service does not open DATA_DIR /);
    const service = await startService(at('whole'), { ...DEMO, HOST: '0.0.0.0' });
    expect(service.lines().find(({ msg }) => msg === 'listening')?.['host']).to.equal('127.0.0.1');
    await service.kill('SIGTERM');
    expect(await story(at('whole'))).to.deep.equal(filled);
  });

  it('names its mark if the file is empty', async () => {
    mkdirSync(at('marked'));
    writeFileSync(join(at('marked'), 'demo.json'), '');
    const refused = launch(at('marked'), DEMO);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    const file = join(at('marked'), 'demo.json');
    expect(refused.stderr()).to.match(new RegExp(`^${file} cannot be read: .*; restore the file from a back-up; or, `));
  });

  it('leaves a service alone that has a platform', async () => {
    const service = await startService(at('own'), { HOST: '0.0.0.0' });
    expect(service.lines().find(({ msg }) => msg === 'listening')?.['host']).to.equal('0.0.0.0');
    expect(service.stderr()).to.equal('');
    expect(service.stdout()).not.to.contain('DATA_DIR holds the demo');
    await service.kill('SIGTERM');
    const again = await startService(at('own'), DEMO);
    expect(again.stderr()).to.equal('');
    expect(existsSync(join(at('own'), 'demo.json'))).to.equal(false);
  });
});

const completed = (dataDir: string): boolean => {
  const { complete } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { complete: boolean };
  return complete;
};

/** Until the process has brought the log's write-ahead file to grow by so many pages, which is how far it got. */
async function untilGrown(dataDir: string, pages: number, { child }: Running): Promise<void> {
  const wal = join(dataDir, 'log.sqlite-wal');
  const sizeNow = (): number => (existsSync(wal) ? statSync(wal).size : 0);
  const before = sizeNow();
  while (child.exitCode === null && sizeNow() < before + pages * 4096) await setTimeout(1);
}

/** What happened to each artifact in words that do not depend on ids or on the time of the filling. */
async function story(dataDir: string): Promise<readonly string[]> {
  const log = await sqliteEventLog(dataDir);
  const artifacts = new Map<string, string[]>();
  const others: string[] = [];
  for await (const { events } of log.readAll(null, [])) {
    for (const { stream, type, metadata } of events) {
      if (stream.startsWith('artifact-')) {
        artifacts.set(stream, [...(artifacts.get(stream) ?? []), `${type} ${metadata.commandId}`]);
      } else if (type !== 'IdsReserved') others.push(type);
    }
  }
  await log.close();
  return [...[...artifacts.values()].map((steps) => steps.join(', ')), ...others.sort()];
}
