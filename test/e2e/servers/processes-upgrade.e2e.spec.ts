import { expect } from 'chai';
import { artifacts } from '../../../projections/artifacts.js';
import { projectionIds } from '../../../src/stores/mongodb/projection-ids.js';
import { type StoredProjection } from '../../../src/stores/mongodb/projection-documents.js';
import { releaseWith } from '../../support/build.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { type ServiceProcess } from '../../support/process.js';
import { eventually } from './eventually.js';
import { processes, started, type Bugs, type Names, type Processes } from './processes.js';

/** For so long at most, a write waits until it is shown. */
const SHOWN_WITHIN_MS = 1000;
const PATIENCE_MS = 60_000;

const [OLD, NEW] = [artifacts.version, artifacts.version + 1].map((version) =>
  projectionIds([{ ...artifacts, version }]).idOf(artifacts.name),
);

onStandIn('mongo-java-server', 'two releases that keep other documents of artifacts', () => {
  let them: Processes;
  let next: string;
  let older: ServiceProcess;
  let newer: ServiceProcess;
  let names: Names;
  let bug: Bugs;
  before(async () => {
    them = await processes();
    next = releaseWith(artifacts.name, artifacts.version + 1);
    const begun = await started(them, ['all']);
    ({ names, bug } = begun);
    [older] = begun.services;
  });
  after(() => them.close());

  const written = new Map<number, string>();
  const stateOf = async (id: string | undefined): Promise<StoredProjection | undefined> =>
    (await them.projections()).find(({ _id }) => _id === id);
  const titleOf = async (service: ServiceProcess, id: number): Promise<unknown> => {
    const { status, body } = await service.get(`/artifacts/${id}`, { as: 'alice' });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.title as unknown;
  };
  /** Unless the write has waited in vain, whoever has written sees it. */
  const shown = async (service: ServiceProcess, id: number, title: string, began: number): Promise<void> => {
    const hasWaited = performance.now() - began >= SHOWN_WITHIN_MS;
    if (!hasWaited) expect(await titleOf(service, id), `artifact ${id}`).to.equal(title);
  };
  const writeOne = async (service: ServiceProcess, title: string): Promise<void> => {
    let began = performance.now();
    const id = await bug.created(service, title);
    await shown(service, id, title, began);
    began = performance.now();
    const { status, body } = await bug.change(service, id, `${title} changed`);
    expect(status, JSON.stringify(body)).to.equal(200);
    await shown(service, id, `${title} changed`, began);
    written.set(id, `${title} changed`);
  };
  /** Until told to stop, which fails with the first request that did. */
  const writing = (service: ServiceProcess, label: string): { readonly count: () => number; stop(): Promise<void> } => {
    let [count, over] = [0, false];
    const writer = async (number: number): Promise<void> => {
      for (let nth = 0; !over; nth += 1) {
        await writeOne(service, `${label} ${number}.${nth}`);
        count += 1;
      }
    };
    const writers = Promise.all([0, 1].map(writer));
    // Told by `stop`.
    writers.catch(() => (over = true));
    return {
      count: () => (over ? Infinity : count),
      stop: async () => {
        over = true;
        await writers;
      },
    };
  };
  const someMore = ({ count }: { readonly count: () => number }): Promise<number> => {
    const enough = count() + 6;
    return eventually('there are more writes', () => count() >= enough, PATIENCE_MS);
  };
  const showsAll = async (service: ServiceProcess): Promise<void> => {
    const path = `/trackers/${names.tracker}/artifacts?limit=1000`;
    const found = async (): Promise<ReadonlyMap<number, string>> => {
      const { body } = await service.get(path, { as: 'alice' });
      return new Map((body as { id: number; title: string }[]).map(({ id, title }) => [id, title]));
    };
    await eventually('all is shown', async () => (await found()).size === written.size, PATIENCE_MS);
    expect(await found()).to.deep.equal(written);
  };

  it('serve side by side, and each shows at once what was written through it', async () => {
    const before = writing(older, 'old');
    await someMore(before);
    const { serving } = (await stateOf(OLD))!;
    newer = await them.start('all', undefined, next);
    expect((await stateOf(NEW))?.serving)
      .to.be.a('number')
      .not.equal(serving);
    const beside = writing(newer, 'new');
    await Promise.all([someMore(before), someMore(beside)]);
    const holders = (await Promise.all([OLD, NEW].map(stateOf))).map((state) => state?.lease?.holder);
    expect(holders[0]).to.be.a('string').not.equal(holders[1]);
    await Promise.all([before.stop(), beside.stop()]);
    for (const service of [older, newer]) await showsAll(service);
    expect((await stateOf(OLD))?.serving).to.equal(serving);
  });

  it('are replaced by each other without a request that fails', async () => {
    const beside = writing(newer, 'alone');
    await someMore(beside);
    expect(await older.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await someMore(beside);
    await beside.stop();
    await showsAll(newer);
  });

  it('go back to documents that are still there', async () => {
    const [kept, left] = [(await stateOf(OLD))!, (await stateOf(NEW))!];
    older = await them.start('all');
    const back = writing(older, 'back');
    await someMore(back);
    expect(await newer.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await someMore(back);
    await back.stop();
    await showsAll(older);
    expect(await stateOf(OLD)).to.include({ serving: kept.serving, lastRun: kept.lastRun });
    expect(await stateOf(NEW)).to.include({ serving: left.serving, lastRun: left.lastRun });
  });
});
