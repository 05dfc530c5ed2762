import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { PROJECTION_IDS } from '../../../src/composition/server-projections.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { isLinkCommandId } from '../../../src/artifacts/links/pending-links-view.js';
import { NO_STREAM, type Recorded } from '../../../src/core/event-log.js';
import { deletionsStream, type DeletionEvent } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { fileStream } from '../../../src/files/file-events.js';
import { eventStoreDouble, type Double } from '../../support/eventstoredb/double.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { run, type ServiceProcess } from '../../support/process.js';
import { eventually } from './eventually.js';
import { agreesWithLog, caughtUp } from './naive-fold.js';
import { processes, started, tally, type Bugs, type Names, type Processes } from './processes.js';

const FILES = 40;
const SOURCES = 40;
const DELETIONS = 30;
/** Enough for a rebuild that is stopped while it goes on. */
const COPIES = 1000;
const WRITERS = 32;
/** Servers may end a call whose caller is paused for long. */
const GIVEN_UP = 503;
const PAST = new Date(0);
const FUTURE = new Date('9999-01-01');
/** Offsets of the workers' clock, in seconds: to the one nothing is overdue, to the other all that is not done. */
const BEHIND = '-600';
const AHEAD = '120';
/** A command takes its time to start on a busy machine. */
const PATIENCE_MS = 60_000;
const ARRIVAL_MS = 100;

onStandIn('mongo-java-server', 'a process that is paused', () => {
  let double: Double;
  let them: Processes;
  let api: ServiceProcess;
  let other: ServiceProcess;
  let worker: ServiceProcess;
  let names: Names;
  let bug: Bugs;
  before(async () => {
    double = await eventStoreDouble();
    them = await processes(double);
    clock(BEHIND);
    const [begun, first] = await Promise.all([started(them, ['api', 'api']), startedWorker()]);
    [api, other] = begun.services;
    worker = first;
    ({ names, bug } = begun);
  });
  after(() => them.close());

  const count = async (type: string): Promise<number> => (await eventsOf(type)).length;
  const eventsOf = async (type: string): Promise<readonly Recorded[]> =>
    (await them.events()).filter((event) => event.type === type);
  const set = (name: string, parts: object) => ({ field_id: names.field(name), ...parts });
  const clockFile = (): string => join(them.directory, 'offset');
  /** Of all workers. */
  const clock = (offset: string): void => {
    writeFileSync(clockFile(), offset);
  };
  const startedWorker = (): Promise<ServiceProcess> =>
    them.start('worker', { PLATFORM_FILE: them.platformFile, TEST_CLOCK_OFFSET_FILE: clockFile() });
  /** By a worker that takes the place of the one there is. No recovery is left out because read models are behind. */
  const recoveredBy = async (next: ServiceProcess, resumed: RegExp): Promise<void> => {
    await caughtUp(them.db, them.log);
    clock(AHEAD);
    await worker.kill('SIGTERM');
    worker = next;
    await worker.says(resumed);
    clock(BEHIND);
  };
  /** Of a process that is paused, as if the time until then had passed. */
  const expire = (collection: 'projection-versions' | 'leases', at: Date): Promise<unknown> =>
    them.db.collection(collection).updateMany({ lease: { $ne: null } }, { $set: { 'lease.expiresAt': at } });
  /** Stops the process with the append of which this is true, before the outcome reaches it. */
  const stoppedAt = async (one: ServiceProcess, what: string, isIt: (stream: string) => boolean): Promise<void> => {
    let isStopped = false;
    double.faults.append = (stream) => {
      if (!isStopped && isIt(stream)) isStopped = one.child.kill('SIGSTOP');
      return undefined;
    };
    await eventually(what, () => isStopped, PATIENCE_MS);
    double.faults.append = undefined;
    // What it has sent beside that arrives.
    await sleep(ARRIVAL_MS);
  };
  const written = (type: string): number => double.log.entries.filter((entry) => entry.type === type).length;

  describe('while it attaches many files', () => {
    const uploaded = async (nth: number): Promise<number> => {
      const content = Buffer.from(`file ${nth}`).toString('base64');
      const body = { name: 'f.txt', mimetype: 'text/plain', description: '', content };
      const answer = await api.post('/artifact_temporary_files', { as: 'carol', body });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return Number(answer.body.id);
    };

    it('attaches all of them, although a new worker with a clock ahead has released its claims', async () => {
      const uploads = Promise.all(Array.from({ length: FILES }, (_, nth) => uploaded(nth)));
      const [files, next] = await Promise.all([uploads, startedWorker()]);
      const values = [set('title', { value: 'Many' }), set('attachments', { value: files })];
      const request = { as: 'carol', headers: { 'Idempotency-Key': 'many' } };
      const submit = () => api.post('/artifacts', { ...request, body: { tracker: { id: names.tracker }, values } });
      const submitted = submit();
      await stoppedAt(api, 'it has claimed some', () => written('FileAttached') >= 3);
      const claimed = await count('FileAttached');
      expect(await count('ArtifactSubmitted')).to.equal(0);
      await recoveredBy(next, /"what":"claims of files","count":1/);
      expect(await count('FileDetached')).to.equal(claimed);
      api.child.kill('SIGCONT');

      const first = await submitted;
      expect(first.status, JSON.stringify(first.body)).to.be.oneOf([201, GIVEN_UP]);
      // Sent again, the request attaches all files, too.
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

  describe('while it writes links at their sources', () => {
    const linksWritten = async (): Promise<readonly Recorded[]> =>
      (await eventsOf('ArtifactValuesChanged')).filter(({ metadata }) => isLinkCommandId(metadata.commandId));
    const linkedTo = async (target: number): Promise<readonly number[]> => {
      const { body } = await other.get(`/artifacts/${target}`, { as: 'alice' });
      const links = (body.values as { field_id: number; reverse_links?: { id: number }[] }[]).find(
        ({ field_id: field }) => field === names.field('links'),
      );
      return (links?.reverse_links ?? []).map(({ id }) => id).sort((a, b) => a - b);
    };

    it('leaves alone what users have changed since one worker has written some, and another one the rest', async () => {
      const target = await bug.created(api, 'Target');
      const sourcesMade = Promise.all(Array.from({ length: SOURCES }, (_, nth) => bug.created(api, `Source ${nth}`)));
      const [sources, paused] = await Promise.all([sourcesMade, startedWorker()]);
      const all = sources.map((id) => ({ id, direction: 'reverse', type: '_is_child' }));
      const values = [set('links', { all_links: all })];
      const changed = api.put(`/artifacts/${target}`, { as: 'alice', body: { values } });
      const before = written('ArtifactValuesChanged');
      const isBeyond = (count: number) => () => written('ArtifactValuesChanged') - before >= count;
      await stoppedAt(api, 'it has written some', isBeyond(4));

      await caughtUp(them.db, them.log);
      const by = (await linksWritten()).length;
      expect(by).to.be.within(3, SOURCES / 2);
      clock(AHEAD);
      await worker.kill('SIGTERM');
      await stoppedAt(paused, 'the worker has written more', isBeyond(by + 2));
      expect(await linksWritten()).to.have.length.below(SOURCES);
      await Promise.all([expire('projection-versions', PAST), expire('leases', FUTURE)]);
      worker = await startedWorker();
      await caughtUp(them.db, them.log);
      await expire('leases', PAST);
      await worker.says(/"what":"links","count":\d/);
      clock(BEHIND);
      expect(await linksWritten()).to.have.length(SOURCES);

      const removed = sources.filter((_, nth) => nth % 3 === 0);
      const none = { values: [set('links', { links: [] })] };
      const puts = await Promise.all(removed.map((id) => other.put(`/artifacts/${id}`, { as: 'alice', body: none })));
      expect(tally(puts)).to.deep.equal({ 200: removed.length });
      paused.child.kill('SIGCONT');
      // Whether the worker notices in time that it has lost the lease, or does the rest of its round: nothing may come of that.
      await paused.says(/recovery interrupted, retrying|resumed interrupted work/);
      api.child.kill('SIGCONT');
      const { status, body } = await changed;
      expect(status, JSON.stringify(body)).to.be.oneOf([200, GIVEN_UP]);
      await paused.kill('SIGTERM');

      expect((await linksWritten()).map(({ stream }) => stream).sort()).to.deep.equal(
        sources.map(artifactStream).sort(),
      );
      await caughtUp(them.db, them.log);
      const kept = sources.filter((id) => !removed.includes(id)).sort((a, b) => a - b);
      expect(await linkedTo(target)).to.deep.equal(kept);
    });
  });

  describe('while it deletes artifacts', () => {
    it('deletes each once and counts each once, although a worker has deleted some and another user one', async () => {
      const made = Promise.all(Array.from({ length: DELETIONS }, (_, nth) => bug.created(api, `Deleted ${nth}`)));
      const [ids, next] = await Promise.all([made, startedWorker()]);
      const alice = Number((await api.get('/users/self', { as: 'alice' })).body.id);
      const answers = Promise.all(ids.map((id) => bug.remove(api, id)));
      /** Counted, and not deleted. */
      const open = async (): Promise<readonly number[]> => {
        const { events } = await them.log.read<DeletionEvent>(deletionsStream(alice));
        const deleted = new Set((await eventsOf('ArtifactDeleted')).map(({ stream }) => stream));
        return events.map(({ data }) => data.artifactId).filter((id) => !deleted.has(artifactStream(id)));
      };
      const isCounting = (stream: string): boolean => stream.endsWith(deletionsStream(alice));
      const isOpen = (stream: string): boolean => isCounting(stream) && written('DeletionCounted') >= 3;
      await stoppedAt(api, 'a deletion is counted and not carried out', isOpen);
      const [taken = 0] = await open();
      expect((await other.request('DELETE', `/artifacts/${taken}`, { as: 'bob' })).status).to.equal(200);
      await recoveredBy(next, /"what":"deletions","count":\d/);
      expect(await open()).to.deep.equal([]);
      api.child.kill('SIGCONT');

      for (const [nth, { status }] of (await answers).entries()) {
        const id = ids[nth]!;
        expect(status, `${id}`).to.be.oneOf([id === taken ? 404 : 200, GIVEN_UP]);
        if (status === GIVEN_UP) expect((await bug.remove(api, id)).status, `${id}`).to.be.oneOf([200, 404]);
      }
      const deleted = (await eventsOf('ArtifactDeleted')).map(({ stream }) => stream);
      expect([...deleted].sort()).to.deep.equal(ids.map(artifactStream).sort());
      expect([await count('DeletionCounted'), await count('DeletionReleased')]).to.deep.equal([DELETIONS + 1, 1]);
    });
  });

  describe('while it rebuilds a read model', () => {
    /** Under ids from 1,000,001 on, as if it had been submitted so often. */
    const copy = async (id: number): Promise<void> => {
      const [submitted] = (await them.log.read(artifactStream(id))).events;
      const { type, data, metadata } = submitted!;
      const ids = Array.from({ length: COPIES }, (_, nth) => 1_000_001 + nth);
      const next = async (): Promise<void> => {
        for (let artifactId = ids.pop(); artifactId !== undefined; artifactId = ids.pop()) {
          const event = { id: randomUUID(), type, data: { ...data, artifactId } };
          await them.log.append(artifactStream(artifactId), NO_STREAM, [event], metadata);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, next));
    };
    const served = async (): Promise<number> =>
      (await them.projections()).find(({ _id }) => _id === PROJECTION_IDS.idOf(ARTIFACTS))!.serving!;

    it('loses its lease, and the next worker carries the rebuild out', async () => {
      const [standby] = await Promise.all([startedWorker(), copy(await bug.created(other, 'Copied'))]);
      await caughtUp(them.db, them.log, 90_000);
      const before = await them.holders();
      const requests = them.db.collection('requests');
      let isStopped = false;
      // Of all that the worker does, only a filling begins with it.
      double.faults.read = (reading) => {
        if (reading === 'all') isStopped = worker.child.kill('SIGSTOP');
        return undefined;
      };
      const rebuilding = run(['rebuild', ARTIFACTS], them.env());
      const isTaken = async (): Promise<boolean> =>
        (await requests.countDocuments({ token: { $ne: null }, answer: null })) === 1;
      await eventually('the worker is stopped', async () => isStopped && (await isTaken()), PATIENCE_MS);
      double.faults.read = undefined;
      await expire('projection-versions', PAST);
      await them.heldByOther(before);
      expect(await rebuilding.ended, rebuilding.stderr()).to.deep.equal({ code: 0, signal: null });
      const run1 = await served();
      expect(rebuilding.stdout()).to.match(new RegExp(`serving generation ${run1}\\n$`));

      worker.child.kill('SIGCONT');
      await worker.says(/The lease of artifacts-v\d+ is lost|Another worker has taken over artifacts-v/);
      await bug.created(other, 'Afterwards');
      expect([await served(), await requests.countDocuments()]).to.deep.equal([run1, 0]);
      await agreesWithLog(them.db, them.log);
      await worker.kill('SIGTERM');
      worker = standby;
    });
  });
});
