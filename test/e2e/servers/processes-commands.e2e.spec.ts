import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { all } from '../../../projections/all.js';
import { PROJECTION_IDS } from '../../../src/composition/server-projections.js';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { command, run, type ServiceProcess } from '../../support/process.js';
import { caughtUp } from './naive-fold.js';
import { processes, started, type Bugs, type Names, type Processes } from './processes.js';

/** Enough for a rebuild that is seen while it goes on. */
const COPIES = 2000;
const WRITERS = 32;

onStandIn('mongo-java-server', 'commands of operations beside the processes', () => {
  let them: Processes;
  let apis: readonly [ServiceProcess, ServiceProcess];
  let names: Names;
  let bug: Bugs;
  before(async () => {
    them = await processes();
    const begun = await started(them, ['api', 'api', 'worker']);
    ({ names, bug } = begun);
    const [one, other] = begun.services;
    apis = [one, other];
    await copy(await bug.created(one, 'Copied'));
    await caughtUp(them.db, them.log, 90_000);
  });
  after(() => them.close());

  /** Under ids from 1,000,001 on, as if it had been submitted so often. */
  const copy = async (id: number): Promise<void> => {
    const [submitted] = (await them.log.read(`artifact-${id}`)).events;
    const { type, data, metadata } = submitted!;
    const ids = Array.from({ length: COPIES }, (_, n) => 1_000_001 + n);
    const next = async (): Promise<void> => {
      for (let artifactId = ids.pop(); artifactId !== undefined; artifactId = ids.pop()) {
        const event = { id: randomUUID(), type, data: { ...data, artifactId } };
        await them.log.append(`artifact-${artifactId}`, NO_STREAM, [event], metadata);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, next));
  };
  const platform = (...args: string[]) => command(['platform', ...args], them.env());
  const holders = async (): Promise<readonly string[]> => [...(await them.holders())];

  it('status says of every projection that it is live', async () => {
    const { code, stdout, stderr } = await command(['status'], them.env());
    expect([code, stderr]).to.deep.equal([0, '']);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(all.map(({ name }) => name));
    for (const line of lines) expect(line).to.match(/^\S+ +live +generation \d+, version \d+, position [0-9a-f]{32}$/);
  });

  it('platform plans, applies once though two do at a time, and exports', async () => {
    expect(await platform('plan', them.platformFile)).to.include({
      code: 0,
      stdout: 'Nothing to change\n',
      stderr: '',
    });
    const renamed = join(them.directory, 'renamed.yaml');
    writeFileSync(renamed, readFileSync(them.platformFile, 'utf8').replace('label: Hydra', 'label: Lerna'));
    const planned = await platform('plan', renamed);
    expect(planned).to.include({ code: 2, stderr: '' });
    const applied = await Promise.all([platform('apply', renamed), platform('apply', renamed)]);
    const said = applied.map(({ stdout }) => stdout).sort();
    expect(said).to.deep.equal([planned.stdout, 'Nothing to change\n'].sort());
    for (const { code, stderr } of applied) expect([code, stderr]).to.deep.equal([0, '']);
    for (const api of apis) {
      expect((await api.get(`/projects/${names.project}`, { as: 'alice' })).body.label).to.equal('Lerna');
    }
    const { code, stdout } = await platform('export');
    expect(code).to.equal(0);
    expect(stdout).to.contain('Lerna').and.not.to.contain('password');
  });

  it('a rebuild is done by the worker, shows how far it is, and readers see full pages meanwhile', async () => {
    const before = await holders();
    const served = async (): Promise<number> =>
      (await them.projections()).find(({ _id }) => _id === PROJECTION_IDS.idOf('artifacts'))!.serving!;
    const old = await served();
    let written = COPIES + 1;
    const rebuilding = run(['rebuild', 'artifacts'], them.env());
    let reads = 0;
    while (rebuilding.child.exitCode === null) {
      await bug.created(apis[reads % 2]!, `during ${reads}`);
      written += 1;
      reads += 1;
      for (const api of apis) {
        const path = `/trackers/${names.tracker}/artifacts?limit=50&offset=${written - 50}`;
        const { status, headers, body } = await api.get(path, { as: 'alice' });
        expect([status, Number(headers.get('x-pagination-size')), (body as unknown[]).length]).to.deep.equal([
          200,
          written,
          50,
        ]);
      }
    }
    expect(await rebuilding.ended).to.deep.equal({ code: 0, signal: null });
    expect(reads).not.to.equal(0);
    const now = await served();
    expect(now).to.be.above(old);
    expect(rebuilding.stdout()).to.match(
      new RegExp(`^artifacts: \\d+ events in \\d+\\.\\d s, serving generation ${now}\\n$`),
    );
    const lines = rebuilding
      .stderr()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('Waiting until'));
    for (const line of lines) expect(line).to.match(/^artifacts +\[[=-]+\] \d+% \| \d+ events, \d+\/s \| .* left$/);
    expect(lines.at(-1)).to.contain('100%');
    expect(await holders()).to.deep.equal(before);
  });

  it('a rebuild of an unknown read model names those there are', async () => {
    const { code, stderr } = await command(['rebuild', 'artefacts'], them.env());
    expect(code).to.equal(1);
    expect(stderr).to.match(/^There is no read model artefacts; there are artifacts, .*users\n$/);
  });
});
