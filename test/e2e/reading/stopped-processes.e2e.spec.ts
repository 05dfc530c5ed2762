/** Processes that stop in the middle: those that read, the main one, and those of a program that was exchanged. */
import { once } from 'node:events';
import { expect } from 'chai';
import { install, releaseWith } from '../../support/build.js';
import { killAll, launch, ready, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import {
  connection,
  connections,
  connectionToMain,
  pidOf,
  processOf,
  startReading,
  type Connection,
} from './connections.js';

const WRITES = 20;
const VERSION = 1001;
const NEXT_VERSION = 1002;

describe('a reading process', () => {
  let directory: TemporaryDirectory;
  const opened: Connection[] = [];
  const stopped: number[] = [];
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
    for (const each of opened.splice(0)) each.close();
    await killAll();
    await directory.remove();
  });

  const stop = (service: ServiceProcess, name: string): void => {
    const pid = pidOf(service, name);
    process.kill(pid, 'SIGSTOP');
    stopped.push(pid);
  };
  const goOn = (): void => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
  };
  const ofProcess = async (service: ServiceProcess, name: string): Promise<Connection> => {
    for (;;) {
      const client = connection(service);
      opened.push(client);
      if ((await processOf(service, client)) === name) return client;
    }
  };

  it('that was stopped shows the writes of that time in each answer to a later request', async () => {
    const service = await startReading(directory.path, 2);
    const [slow, alsoSlow, other] = [
      await ofProcess(service, 'reading-1'),
      await ofProcess(service, 'reading-1'),
      await ofProcess(service, 'reading-2'),
    ];
    const alice = await service.signIn('alice');
    const bug = await trackerOf(service, 'bug');
    const titled = (value: string) => ({
      tracker: { id: bug.id },
      values: [{ field_id: bug.fields.get('title')!, value }],
    });
    const path = `/artifacts/${String((await other.send('POST', '/artifacts', alice, titled('0'))).body.id)}`;
    for (const each of [slow, alsoSlow]) expect((await each.get(path, alice)).body.title).to.equal('0');

    stop(service, 'reading-1');
    const early = slow.get(path, alice);
    for (let nth = 1; nth <= WRITES; nth += 1) {
      expect((await other.send('PUT', path, alice, titled(String(nth)))).status).to.equal(200);
      expect((await other.get(path, alice)).body.title).to.equal(String(nth));
    }
    const late = alsoSlow.get(path, alice);
    goOn();
    expect((await late).body.title).to.equal(String(WRITES));
    expect((await early).status).to.equal(200);
    expect((await slow.get(path, alice)).body.title).to.equal(String(WRITES));
  });

  it('that takes no connection is replaced, and the connection is answered', async () => {
    const service = await startReading(directory.path, 1);
    stop(service, 'reading-1');
    const client = connection(service);
    opened.push(client);
    expect((await client.get('/projects')).status).to.equal(200);
    await service.says(/"signal":"SIGKILL".*"reading process ended, starting another"/);
    stopped.splice(0);
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });

  it('that is stopped keeps no port and no directory of a main process that was killed', async () => {
    const service = await startReading(directory.path, 2);
    stop(service, 'reading-1');
    const exited = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await exited;
    const next = await startReading(directory.path, 2, { PORT: String(service.port) });
    const clients = connections(next, 2);
    opened.push(...clients);
    for (const client of clients) expect((await client.get('/projects')).status).to.equal(200);
    goOn();
    // When no process has the output open any longer.
    await service.ended;
    for (const client of clients) expect((await client.get('/projects')).status).to.equal(200);
  });

  it('of another release than the main process answers nothing', async () => {
    const release = releaseWith('artifacts', VERSION);
    const service = await ready(launch(directory.path, { WORKERS: '1' }, release));
    await service.says(/"msg":"reading process ready"/);
    install(release, 'artifacts', NEXT_VERSION);
    process.kill(pidOf(service, 'reading-1'), 'SIGKILL');
    await service.says(/Another release has been installed/);
    const client = connection(service);
    opened.push(client);
    expect(await processOf(service, client)).to.equal('main');
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });

    const next = await ready(launch(directory.path, { WORKERS: '1' }, release));
    await next.says(/"msg":"reading process ready"/);
    opened.push(connectionToMain(directory.path));
    expect((await opened.at(-1)!.get('/projects')).status).to.equal(200);
    expect(await next.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });
});
