import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileStream } from '../../src/files/file.js';
import { onStandIn } from '../support/mongodb/for-each-mongodb.js';
import { type ServiceProcess } from '../support/process.js';
import { eventually } from './eventually.js';
import { processes, started, type Names, type Processes } from './processes.js';

const FILES = 40;

onStandIn('mongo-java-server', 'a process that is paused while it attaches many files', function () {
  let them: Processes;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  let names: Names;
  before(async function () {
    this.timeout(180_000);
    them = await processes();
    const begun = await started(them, ['api', 'worker']);
    [api, worker] = begun.services;
    ({ names } = begun);
  });
  after(() => them.close());

  const uploaded = async (nth: number): Promise<number> => {
    const content = Buffer.from(`file ${nth}`).toString('base64');
    const body = { name: 'f.txt', mimetype: 'text/plain', description: '', content };
    const answer = await api.post('/artifact_temporary_files', { as: 'carol', body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return Number(answer.body.id);
  };
  const count = async (type: string): Promise<number> =>
    (await them.events()).filter((event) => event.type === type).length;
  /** Stops the process where it has claimed some of the files and not all. */
  const pausedAmidClaims = async (): Promise<void> => {
    await eventually('it has begun to claim', async () => (await count('FileAttached')) >= 3);
    api.child.kill('SIGSTOP');
  };

  it('attaches all of them, although a new worker with a clock ahead has released its claims', async function () {
    this.timeout(120_000);
    const files: number[] = [];
    for (let nth = 0; nth < FILES; nth += 1) files.push(await uploaded(nth));
    const values = [
      { field_id: names.field('title'), value: 'Many' },
      { field_id: names.field('attachments'), value: files },
    ];
    const request = { as: 'carol', headers: { 'Idempotency-Key': 'many' } };
    const submit = () => api.post('/artifacts', { ...request, body: { tracker: { id: names.tracker }, values } });
    const submitted = submit();
    await pausedAmidClaims();
    const claimed = await count('FileAttached');
    expect([claimed < FILES, await count('ArtifactSubmitted')], 'paused in time').to.deep.equal([true, 0]);
    await worker.kill('SIGTERM');
    const offset = join(them.directory, 'offset');
    writeFileSync(offset, '120');
    worker = await them.start('worker', { TEST_CLOCK_OFFSET_FILE: offset });
    await worker.says(/"what":"claims of files","count":1/);
    expect(await count('FileDetached')).to.equal(claimed);
    api.child.kill('SIGCONT');

    const first = await submitted;
    expect(first.status, JSON.stringify(first.body)).to.be.oneOf([201, 503]);
    // Servers may have given up a call during the pause. Sent again, the request attaches all files, too.
    const { status, body } = first.status === 201 ? first : await submit();
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(await count('ArtifactSubmitted')).to.equal(1);
    for (const file of files) {
      const { events } = await them.log.read(fileStream(file));
      expect(events.at(-1), `file ${file}`).to.deep.include({ type: 'FileAttached' });
      expect(events.at(-1)?.data).to.include({ artifactId: Number(body.id) });
    }
    const { body: shown } = await api.get(`/artifacts/${Number(body.id)}`, { as: 'carol' });
    const element = (shown.values as { field_id: number; file_descriptions?: unknown[] }[]).find(
      ({ field_id: field }) => field === names.field('attachments'),
    );
    expect(element?.file_descriptions).to.have.length(FILES);
  });
});
