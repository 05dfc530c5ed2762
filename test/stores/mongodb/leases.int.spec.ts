import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient, MongoServerError } from 'mongodb';
import { LeaseRefused, withLease, type Lease } from '../../../src/core/lease.js';
import { lockLeases, projectionLeases, type LeaseTiming } from '../../../src/stores/mongodb/leases.js';
import { projectionDocuments } from '../../../src/stores/mongodb/projection-documents.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { refusingWrites } from '../../support/mongodb/refusing-writes.js';
import { heldUp, until } from './read-models/fixture.js';
import { rejection } from '../contracts/event-log-fixture.js';

const QUICK: LeaseTiming = { lasts: 1000, renewedEvery: 150, askedEvery: 20 };
const HOUR_MS = 60 * 60 * 1000;

/** The work of a process whose clock is wrong. The servers are other processes, and have their own. */
async function withClockOff<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [Right.now() + milliseconds] : given) as [number]));
    }

    static override now(): number {
      return Right.now() + milliseconds;
    }
  } as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Right;
  }
}

forEachMongoDb('leases', ({ url }) => {
  let database: FreshDatabase;
  let client: MongoClient;
  let ending: AbortController;
  beforeEach(async () => {
    database = freshDatabase(url());
    client = await MongoClient.connect(database.url);
    ending = new AbortController();
  });
  afterEach(async () => {
    ending.abort();
    await client.close();
    await database.drop();
  });

  /** As another process would. */
  const someone = () => lockLeases(client.db(), { timing: QUICK });
  const acquire = (leases = someone()): Promise<Lease> => leases.acquire('work', ending.signal);
  const isWaiting = async (wanted: Promise<Lease>): Promise<boolean> =>
    (await Promise.race([wanted, sleep(100, 'nothing' as const)])) === 'nothing';

  it('are held by one at a time, with a token that grows', async () => {
    const first = await acquire();
    const wanted = acquire();
    expect(await isWaiting(wanted)).to.equal(true);
    await first.release();
    const second = await wanted;
    expect(second.token).to.be.above(first.token);
    await second.release();
  });

  it('of the same process exclude each other too', async () => {
    const leases = someone();
    const first = await acquire(leases);
    const wanted = acquire(leases);
    expect(await isWaiting(wanted)).to.equal(true);
    await first.release();
    await (await wanted).release();
  });

  it('that were taken meanwhile are neither renewed nor given back by their former holder', async () => {
    for (const ends of ['by itself', 'late'] as const) {
      const leases = someone();
      const first = await acquire(leases);
      // As once it was silent for too long.
      await client
        .db()
        .collection('leases')
        .updateOne({}, { $set: { lease: null } });
      const second = await acquire(leases);
      const wanted = acquire();
      if (ends === 'late') await first.release();
      else await once(first.lost, 'abort');
      expect(await isWaiting(wanted)).to.equal(true);
      expect(second.lost.aborted).to.equal(false);
      await second.release();
      await (await wanted).release();
    }
  });

  it('of different names have nothing to do with each other', async () => {
    const [one, other] = await Promise.all([acquire(), someone().acquire('other work', ending.signal)]);
    await Promise.all([one.release(), other.release()]);
  });

  it('last for as long as they are renewed', async () => {
    const first = await acquire();
    const wanted = acquire();
    await sleep(2 * QUICK.lasts);
    expect(first.lost.aborted).to.equal(false);
    expect(await isWaiting(wanted)).to.equal(true);
    await first.release();
    await (await wanted).release();
  });

  it('are not taken from who holds them by a process whose clock is ahead', async () => {
    const first = await acquire();
    const { wanted, waits } = await withClockOff(HOUR_MS, async () => {
      expect(Date.now() - performance.timeOrigin - performance.now()).to.be.above(HOUR_MS / 2);
      const asking = acquire();
      return { wanted: asking, waits: await isWaiting(asking) };
    });
    expect(waits).to.equal(true);
    expect(first.lost.aborted).to.equal(false);
    await first.release();
    await (await wanted).release();
  });

  it('last as long for a process whose clock is behind', async () => {
    const first = await withClockOff(-HOUR_MS, () => acquire());
    const wanted = acquire();
    expect(await isWaiting(wanted)).to.equal(true);
    expect(first.lost.aborted).to.equal(false);
    await first.release();
    await (await wanted).release();
  });

  it('pass to the next holder after silence, and the old holder learns of the loss', async () => {
    const silent = await MongoClient.connect(database.url);
    const first = await lockLeases(silent.db(), { timing: QUICK }).acquire('work', ending.signal);
    await silent.close();
    const second = await acquire();
    expect(second.token).to.be.above(first.token);
    await sleep(QUICK.lasts);
    expect(first.lost.aborted).to.equal(true);
    await first.release();
    expect(await isWaiting(acquire())).to.equal(true);
    await second.release();
  });

  it('are lost when they end, whenever the last renewal failed', async () => {
    const failing = heldUp(client.db(), ({ method, pass }) =>
      method === 'updateOne' ? Promise.reject(new Error('the connection has ended')) : pass(),
    );
    const timing = { lasts: 600, renewedEvery: 500, askedEvery: 20 };
    const first = await acquire(lockLeases(failing, { timing }));
    const second = await acquire();
    // A renewal would be due much later.
    await sleep(200);
    expect(first.lost.aborted).to.equal(true);
    await Promise.all([first, second].map((lease) => lease.release()));
  });

  it('are not given back for long to a server that does not answer, nor renewed', async () => {
    let isSilent = false;
    let unanswered = 0;
    const silent = heldUp(client.db(), ({ pass }) => {
      if (!isSilent) return pass();
      unanswered += 1;
      return new Promise(() => undefined);
    });
    const errors: unknown[] = [];
    const options = { timing: { ...QUICK, lasts: 60_000 }, onError: (error: unknown) => errors.push(error) };
    const lease = await acquire(lockLeases(silent, options));
    isSilent = true;
    await until(() => unanswered > 0);
    await lease.release();
    expect(errors).to.have.length(1);
    expect(lease.lost.aborted).to.equal(false);
  });

  it('that a server gave whose clock was ahead are not waited for', async () => {
    await (await acquire()).release();
    const lease = { holder: 'killed', expiresAt: new Date(Date.now() + HOUR_MS) };
    await client.db().collection('leases').updateOne({}, { $set: { lease } });
    await (await acquire()).release();
  });

  // After a restore, tokens are given again.
  for (const token of ['a later token', 'the same token'] as const) {
    it(`are lost as soon as a renewal finds another holder, who has ${token}`, async () => {
      const first = await acquire();
      const lease = { holder: 'another', expiresAt: new Date(Date.now() + 60_000) };
      const usurped = { token: token === 'the same token' ? first.token : 99, lease };
      await client.db().collection<{ _id: string }>('leases').updateOne({ _id: 'work' }, { $set: usurped });
      await once(first.lost, 'abort');
      await first.release();
      const left = await client.db().collection<{ _id: string }>('leases').findOne({ _id: 'work' });
      expect(left).to.have.nested.property('lease.holder', 'another');
    });
  }

  it('are lost at once where the answer comes after their end', async () => {
    const late = heldUp(client.db(), async ({ method, pass }) => {
      const answer: unknown = await pass();
      if (method === 'findOneAndUpdate') await sleep(500);
      return answer;
    });
    const first = await acquire(lockLeases(late, { timing: { ...QUICK, lasts: 300 } }));
    // Another process may have had it, and have given it back, meanwhile.
    if (!first.lost.aborted) await once(first.lost, 'abort');
    await first.release();
  });

  it('are not waited for any longer than is wanted', async () => {
    const first = await acquire();
    const impatient = new AbortController();
    const wanted = rejection(someone().acquire('work', impatient.signal));
    impatient.abort(new Error('no more'));
    expect(await wanted)
      .to.be.instanceOf(Error)
      .with.property('message', 'no more');
    await first.release();
  });

  describe('that the server refuses to write', () => {
    let stop: () => void;
    let refused: MongoClient;
    beforeEach(async () => {
      const full = await refusingWrites(database.url);
      stop = full.stop;
      refused = await MongoClient.connect(full.url);
    });
    afterEach(async () => {
      await refused.close();
      stop();
    });

    it('are not waited for where they are locks', async () => {
      const error = await rejection(lockLeases(refused.db()).acquire('work', ending.signal));
      const reason = 'MongoDB refuses the lease of work: available disk space is less than required';
      expect(error).to.be.instanceOf(LeaseRefused).with.property('message', reason);
    });

    it('are waited for where they are of projections', async () => {
      const errors: unknown[] = [];
      const onError = (error: unknown) => errors.push(error);
      const leases = projectionLeases(refused.db(), { timing: QUICK, onError });
      const wanted = rejection(leases.acquire('artifacts-v4', ending.signal));
      await until(() => errors.length > 2);
      ending.abort(new Error('no more'));
      expect(await wanted).to.include({ message: 'no more' });
    });
  });

  it('are waited for during an outage', async () => {
    let failures = 0;
    const failing = heldUp(client.db(), ({ method, pass }) => {
      if (method !== 'findOneAndUpdate' || failures > 2) return pass();
      failures += 1;
      return Promise.reject(new MongoServerError({ message: 'not primary', code: 10_107 }));
    });
    const lease = await acquire(lockLeases(failing, { timing: QUICK }));
    expect(failures).to.equal(3);
    await lease.release();
  });

  it('of many who want one are given to each in turn, and to no two at once', async () => {
    let [holders, most, done] = [0, 0, 0];
    const work = async (): Promise<void> => {
      holders += 1;
      most = Math.max(most, holders);
      await sleep(10);
      holders -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLease(someone(), 'work', ending.signal, work)));
    expect({ most, done }).to.deep.equal({ most: 1, done: 8 });
  });

  it('end with the work, also when that fails', async () => {
    const failing = withLease(someone(), 'work', ending.signal, () => Promise.reject(new Error('broken')));
    expect(await rejection(failing))
      .to.be.instanceOf(Error)
      .with.property('message', 'broken');
    await (await acquire()).release();
  });

  it('of projections live in the documents that their tokens guard', async () => {
    const lease = await projectionLeases(client.db(), { timing: QUICK }).acquire('artifacts-v4', ending.signal);
    const document = await projectionDocuments(client.db()).findOne({ _id: 'artifacts-v4' });
    expect(document).to.deep.include({ token: lease.token, lastRun: 4_000_000 });
    expect(document?.lease?.expiresAt).to.be.instanceOf(Date);
    await lease.release();
    expect((await projectionDocuments(client.db()).findOne({ _id: 'artifacts-v4' }))?.lease).to.equal(null);
  });
});
