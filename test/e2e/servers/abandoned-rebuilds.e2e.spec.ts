import { expect } from 'chai';
import { PROJECTION_IDS } from '../../../src/composition/server-projections.js';
import { projectionLeases } from '../../../src/stores/mongodb/leases.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { command, run, type Running } from '../../support/process.js';
import { eventually } from './eventually.js';
import { processes, type Processes } from './processes.js';

const NAMES = ['svn', 'users'];

onStandIn('mongo-java-server', 'a rebuild over servers that no worker has begun', () => {
  let them: Processes;
  let release: () => Promise<unknown>;
  beforeEach(async () => {
    them = await processes();
    // A worker that never begins anything.
    const leases = projectionLeases(them.db);
    const held = await Promise.all(PROJECTION_IDS.all.map((id) => leases.acquire(id, new AbortController().signal)));
    release = () => Promise.all(held.splice(0).map((lease) => lease.release()));
  });
  afterEach(async () => {
    await release();
    await them.close();
  });

  const requests = () => them.db.collection<{ askedAt: Date }>('requests');
  const asked = async (): Promise<Running> => {
    const rebuilding = run(['rebuild', ...NAMES], them.env());
    await eventually('it is asked for', async () => (await requests().countDocuments()) === NAMES.length);
    return rebuilding;
  };
  /** As if this long had passed since the command last asked. */
  const age = (minutes: number) =>
    requests().updateMany({}, { $set: { askedAt: new Date(Date.now() - minutes * 60_000) } });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`is asked for no more once its command gets ${signal}`, async () => {
      const rebuilding = await asked();
      expect(await rebuilding.kill(signal)).to.deep.equal({ code: 1, signal: null });
      expect(rebuilding.stderr()).to.match(/^(Waiting .*\n)*Stopped\n$/);
      expect(await requests().countDocuments()).to.equal(0);
    });
  }

  it('is not begun later, by the next worker, if its command was killed', async () => {
    await (await asked()).kill('SIGKILL');
    await age(1);
    await release();
    await them.start('worker');
    expect(await command(['rebuild', ...NAMES], them.env())).to.include({ code: 0 });
    expect(await requests().countDocuments({ token: null, answer: null })).to.equal(NAMES.length);
  });

  it('is begun by the next worker as long as its command waits', async () => {
    const rebuilding = await asked();
    await age(60);
    await eventually('it is asked for again', async () => {
      const oldest = await requests().find().sort({ askedAt: 1 }).next();
      return Date.now() - oldest!.askedAt.getTime() < 20_000;
    });
    await release();
    await them.start('worker');
    expect(await rebuilding.ended).to.deep.equal({ code: 0, signal: null });
    expect(await requests().countDocuments()).to.equal(0);
  });
});
