import { expect } from 'chai';
import { type Clock } from '../../../src/core/clock.js';
import { Problem } from '../../../src/core/problem.js';
import { mongoDatabase, type MongoDatabase } from '../../../src/stores/mongodb/connection.js';
import { mongoCounters } from '../../../src/stores/mongodb/counters.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../../support/mongodb/gate.js';
import { withOptions } from '../../support/mongodb/options.js';
import { rejection } from '../contracts/event-log-fixture.js';
import { itKeepsTheCountersContract } from '../contracts/expiring-counters.contract.js';

forEachMongoDb('counters', (server) => {
  const open = (clock: Clock) => {
    const fresh = freshDatabase(server.url());
    const { db, close } = mongoDatabase(fresh.url);
    return Promise.resolve({
      counters: mongoCounters(db, clock),
      close: async () => {
        await close();
        await fresh.drop();
      },
    });
  };

  itKeepsTheCountersContract(open);

  describe('of several processes', () => {
    let fresh: FreshDatabase;
    let database: MongoDatabase;
    let other: MongoDatabase;
    beforeEach(() => {
      fresh = freshDatabase(server.url());
      database = mongoDatabase(fresh.url);
      other = mongoDatabase(fresh.url);
    });
    afterEach(async () => {
      await database.close();
      await other.close();
      await fresh.drop();
    });

    it('count together', async () => {
      const clock = () => new Date(1_000_000);
      const [here, there] = [mongoCounters(database.db, clock), mongoCounters(other.db, clock)];
      const takeBack = await here.add(['a', 'b'], new Date(1_000_005));
      await Promise.all([here.add(['a'], new Date(1_000_010)), there.add(['a', 'b'], new Date(1_000_020))]);
      expect((await there.counts(['a', 'b'])).map(({ count }) => count)).to.deep.equal([3, 2]);
      await takeBack();
      const counts = [
        { count: 2, expiresAt: new Date(1_000_010) },
        { count: 1, expiresAt: new Date(1_000_020) },
      ];
      expect(await here.counts(['a', 'b'])).to.deep.equal(counts);
      expect(await there.counts(['a', 'b'])).to.deep.equal(counts);
      await there.clear('a');
      expect((await here.counts(['a']))[0]).to.deep.equal({ count: 0, expiresAt: null });
    });

    it('keep what has expired for a minute, and not much longer', async () => {
      let now = 1_000_000;
      const counters = mongoCounters(database.db, () => new Date(now));
      const kept = () => other.db.collection('counters').countDocuments();
      await counters.add(['a', 'b'], new Date(now + 10));
      now += 59_000;
      await counters.add(['c'], new Date(now + 90_000));
      expect(await kept()).to.equal(3);
      now += 1000;
      await counters.add(['d'], new Date(now + 10));
      expect(await kept()).to.equal(2);
    });
  });

  it('say when to come again while the server does not answer, and then go on', async () => {
    const fresh = freshDatabase(server.url());
    const gate = await gateTo(fresh.url);
    const { db, close } = mongoDatabase(withOptions(gate.url, 'serverSelectionTimeoutMS=1000'));
    const counters = mongoCounters(db, () => new Date(0));
    expect(await counters.counts(['a'])).to.deep.equal([{ count: 0, expiresAt: null }]);
    const takeBack = await counters.add(['b'], new Date(1));
    await gate.shut();
    const calls = [counters.add(['a'], new Date(1)), counters.counts(['a']), counters.clear('a')];
    for (const error of await Promise.all(calls.map(rejection))) {
      expect(error).to.be.instanceOf(Problem).and.include({ kind: 'unavailable', retryAfter: 5 });
    }
    // It expires.
    await takeBack();
    await gate.open();
    await counters.add(['a'], new Date(1));
    expect(await counters.counts(['a'])).to.deep.equal([{ count: 1, expiresAt: new Date(1) }]);
    await gate.shut();
    await close();
    await fresh.drop();
  });
});
