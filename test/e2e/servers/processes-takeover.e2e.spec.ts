import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { all } from '../../../projections/all.js';
import { PROJECTION_IDS } from '../../../src/composition/server-projections.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { documentsOf } from '../../../src/stores/mongodb/read-models/documents.js';
import { type Answer } from '../../support/client.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { type ServiceProcess } from '../../support/process.js';
import { eventually } from './eventually.js';
import { agreesWithLog, caughtUp } from './naive-fold.js';
import { processes, started, type Bugs, type Names, type Processes } from './processes.js';

/** From the death of a worker until another one has its projections. */
const TAKEN_OVER_MS = 10_000;
/** A lease that is given back is not waited for. */
const HANDED_OVER_MS = 3000;
/** How often the state of a commit is read in a row. */
const LOOKS = 1000;

onStandIn('mongo-java-server', 'workers that replace each other', () => {
  let them: Processes;
  let api: ServiceProcess;
  /** The one with the projections, and the one that stands by. */
  let holder: ServiceProcess;
  let standby: ServiceProcess;
  let names: Names;
  let bug: Bugs;
  before(async () => {
    them = await processes();
    const begun = await started(them, ['api', 'worker']);
    ({ names, bug } = begun);
    [api, holder] = begun.services;
    standby = await them.start('worker');
  });
  after(() => them.close());

  /** A machine under load may need more than the ten seconds after which nobody's token is accepted: 503. */
  const untilAnswered = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await ask();
      if (answer.status !== 503) return answer;
      await sleep(1000 * Number(answer.headers.get('retry-after')));
    }
  };
  /** Submits and changes until told to stop, which answers the last title of each artifact. */
  const writing = (label: string): { readonly count: () => number; stop(): Promise<ReadonlyMap<number, string>> } => {
    const titles = new Map<number, string>();
    let [count, over] = [0, false];
    const writer = async (number: number): Promise<void> => {
      for (let nth = 0; !over; nth += 1) {
        const title = `${label} ${number}.${nth}`;
        const submitted = await untilAnswered(() => bug.submit(api, title));
        expect(submitted.status, JSON.stringify(submitted.body)).to.equal(201);
        const id = Number(submitted.body.id);
        titles.set(id, title);
        const changed = await untilAnswered(() => bug.change(api, id, `${title} changed`));
        expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
        titles.set(id, `${title} changed`);
        count += 2;
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(writer));
    // Told by `stop`.
    writers.catch(() => undefined);
    return {
      count: () => count,
      stop: async () => {
        over = true;
        await writers;
        return titles;
      },
    };
  };
  const shown = async (): Promise<ReadonlyMap<number, string>> => {
    const titles = new Map<number, string>();
    for (let total = 1; titles.size < total;) {
      const path = `/trackers/${names.tracker}/artifacts?limit=1000&offset=${titles.size}`;
      const { body, headers } = await api.get(path, { as: 'alice' });
      total = Number(headers.get('x-pagination-size'));
      for (const { id, title } of body as { id: number; title: string }[]) {
        expect(titles.has(id), `${id} twice`).to.equal(false);
        titles.set(id, title);
      }
    }
    return titles;
  };
  const nothingIsLost = async (written: ReadonlyMap<number, string>): Promise<void> => {
    await agreesWithLog(them.db, them.log);
    const titles = await shown();
    for (const [id, title] of written) expect(titles.get(id), `artifact ${id}`).to.equal(title);
  };
  const holderId = async (): Promise<string> => [...(await them.holders())].join();

  it('take over from one that is killed amid writes, within ten seconds, and lose nothing', async () => {
    const before = await them.holders();
    expect(before.size).to.equal(1);
    const writers = writing('killed');
    await eventually('there are writes', () => writers.count() >= 12);
    await holder.kill('SIGKILL');
    const killed = performance.now();
    await them.heldByOther(before);
    expect(performance.now() - killed).to.be.below(TAKEN_OVER_MS);
    const enough = writers.count() + 12;
    await eventually('there are more writes', () => writers.count() >= enough);
    await nothingIsLost(await writers.stop());
    [holder, standby] = [standby, await them.start('worker')];
  });

  it('take over at once from a worker that stops properly', async () => {
    const before = await them.holders();
    const writers = writing('ended');
    await eventually('there are writes', () => writers.count() >= 4);
    expect(await holder.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    const ended = performance.now();
    for (const one of await them.holders()) expect([...before]).not.to.include(one);
    await them.heldByOther(before);
    expect(performance.now() - ended).to.be.below(HANDED_OVER_MS);
    await nothingIsLost(await writers.stop());
    [holder, standby] = [standby, await them.start('worker')];
  });

  it('are not disturbed by one that was away and wakes up amid a commit', async () => {
    const before = await them.holders();
    const writers = writing('paused');
    await pausedAmidCommit();
    await them.heldByOther(before);
    const written = new Map(await writers.stop());
    for (const id of [...written.keys()].slice(0, 4)) {
      expect((await bug.remove(api, id)).status).to.equal(200);
      written.delete(id);
    }
    await caughtUp(them.db, them.log);
    const [kept, token] = [await everything(), await holderId()];

    holder.child.kill('SIGCONT');
    const lost = (name: string): boolean =>
      holder
        .lines()
        .some(
          (line) =>
            line['projection'] === name && / is lost$|^Another worker has taken over /.test(String(line['reason'])),
        );
    await eventually('it knows that it has lost every lease', () => all.every(({ name }) => lost(name)));
    expect(await everything()).to.deep.equal(kept);
    expect(await holderId()).to.equal(token);
    written.set(await bug.created(api, 'Afterwards'), 'Afterwards');
    await nothingIsLost(written);

    const away = await them.holders();
    await standby.kill('SIGKILL');
    expect(await them.heldByOther(away)).to.equal([...before].join());
    written.set(await bug.created(api, 'Again'), 'Again');
    await nothingIsLost(written);
  });

  /** Stops the holder where it has said that it begins a commit of artifacts, and not that it is done. */
  const pausedAmidCommit = async (): Promise<void> => {
    const isAmidCommit = async (): Promise<boolean> => {
      const { runs, serving } = (await them.projections()).find(({ _id }) => _id === PROJECTION_IDS.idOf(ARTIFACTS))!;
      const { position, changed } = runs[serving!]!;
      return Object.values(changed).some((last) => position === null || last > position);
    };
    await eventually('it is stopped amid a commit', async () => {
      // Without a pause: a commit takes milliseconds, and a regular look may miss every one.
      for (let looks = 0; !(await isAmidCommit()); looks += 1) if (looks === LOOKS) return false;
      holder.child.kill('SIGSTOP');
      // What it has sent arrives.
      await sleep(100);
      if (await isAmidCommit()) return true;
      holder.child.kill('SIGCONT');
      return false;
    });
  };

  /** All that the read models are made of, but for who holds them until when, and says what of itself. */
  const everything = async (): Promise<unknown> => {
    const states = await them.projections();
    const documents = states.flatMap(({ runs }) =>
      Object.entries(runs).flatMap(([run, { models }]) =>
        models.map((model) => documentsOf(them.db, model, Number(run))),
      ),
    );
    return {
      states: states.map((state) => ({ ...state, lease: null, status: null })),
      documents: await Promise.all(
        documents.map(async (one) => [one.collectionName, await one.find().sort({ _id: 1 }).toArray()]),
      ),
    };
  };
});
