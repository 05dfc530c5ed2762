import { expect } from 'chai';
import { clusterHealth, type RemoteProjection, type Report } from '../../../projections/health/cluster-health.js';
import { initialStatus, transition } from '../../../projections/engine/projection-status.js';
import { type Position } from '../../../src/core/event-log.js';
import { at } from '../../stores/contracts/read-models-fixture.js';

describe('the watch over projections of other processes', () => {
  let now: number;
  let remotes: readonly RemoteProjection[];
  /** When the store last answered; null while it always does. */
  let answered: number | null;
  let isLogThere: boolean;
  let end: Position | null;
  beforeEach(() => {
    isLogThere = true;
    end = null;
    now = 0;
    remotes = [];
    answered = null;
  });

  const watch = () => {
    const opened = clusterHealth({
      names: ['users'],
      look: () => ({ remotes, at: new Date(answered ?? now) }),
      clock: () => new Date(now),
      silenceMs: 7000,
      overdueMs: 3000,
    });
    return {
      ...opened,
      unhealthy: () => {
        if (isLogThere) opened.logEnds(end, new Date(now));
        return opened.unhealthy();
      },
    };
  };
  const shown = (heartbeat: string | null, report: Report | null = null, position: Position | null = null): void => {
    const served = position && { generation: 1, version: 1, position, event: null };
    remotes = [{ projection: 'users', heartbeat, isHeld: heartbeat !== null, report, served }];
  };
  const stop = { type: 'stopped', reason: 'poison', poison: null } as const;
  const status = transition(initialStatus({ name: 'users', version: 1 }), stop);
  const stopped: Report = {
    status,
    heldUp: { projection: 'users', state: 'stopped', reason: 'poison', poison: null, since: new Date(123_456) },
  };

  it('reports nothing while the worker sends heartbeats', () => {
    const { unhealthy } = watch();
    for (now = 0; now < 30_000; now += 5000) {
      shown(`heartbeat of ${now}`);
      expect(unhealthy()).to.deep.equal([]);
    }
  });

  it('names the unreachable store and the start of a lasting outage', () => {
    const { unhealthy, unreachable } = watch();
    unhealthy();
    isLogThere = false;
    now = 6000;
    expect(unreachable()).to.deep.equal([]);
    now = 6001;
    expect(unreachable()).to.deep.equal([{ store: 'log', since: new Date(0) }]);
    answered = now;
    now = 12_002;
    expect(unreachable().map(({ store }) => store)).to.deep.equal(['log', 'read models']);
    isLogThere = true;
    unhealthy();
    expect(unreachable()).to.deep.equal([{ store: 'read models', since: new Date(6001) }]);
    answered = null;
    expect(unreachable()).to.deep.equal([]);
  });

  it('ends the outage at a late answer of the log', () => {
    const { logEnds, unreachable } = watch();
    now = 20_000;
    expect(unreachable()).to.have.length(1);
    logEnds(null, new Date(1000));
    now = 25_000;
    expect(unreachable()).to.deep.equal([]);
  });

  it('reports since when the worker is silent, until another one sends heartbeats', () => {
    const { unhealthy } = watch();
    now = 1000;
    shown('1 until 7');
    expect(unhealthy()).to.deep.equal([]);
    now = 8000;
    expect(unhealthy()).to.deep.equal([]);
    now = 9000;
    const [silent] = unhealthy();
    expect(silent).to.include({ projection: 'users', state: 'troubled' });
    expect(silent!.since).to.deep.equal(new Date(1000));
    shown('2 until 15');
    expect(unhealthy()).to.deep.equal([]);
  });

  it('counts from its own start if no worker has sent a heartbeat', () => {
    now = 500;
    const { unhealthy } = watch();
    shown(null);
    now = 7500;
    expect(unhealthy()).to.deep.equal([]);
    now = 7501;
    expect(unhealthy()[0]?.since).to.deep.equal(new Date(500));
  });

  it("repeats the worker's report, with times by its own clock", () => {
    const { unhealthy } = watch();
    now = 2000;
    shown('a', stopped);
    expect(unhealthy()).to.deep.equal([{ ...stopped.heldUp, since: new Date(2000) }]);
    now = 4000;
    shown('b', stopped);
    expect(unhealthy()[0]?.since).to.deep.equal(new Date(2000));
    shown('c', { status, heldUp: null });
    expect(unhealthy()).to.deep.equal([]);
  });

  it('holds everything up since the store was last seen to answer', () => {
    const { unhealthy } = watch();
    now = 1000;
    shown('a');
    expect(unhealthy()).to.deep.equal([]);
    answered = 1100;
    now = 4100;
    expect(unhealthy()).to.deep.equal([]);
    now = 4101;
    expect(unhealthy()).to.have.length(1);
    expect(unhealthy()[0]).to.deep.include({ state: 'troubled', since: new Date(1100) });
    answered = null;
    shown('b');
    expect(unhealthy()).to.deep.equal([]);
  });

  it('holds a projection up that stays behind the log, since the log went on, though its worker is well', () => {
    const { unhealthy } = watch();
    const looked = (ended: number, position: number): readonly string[] => {
      end = at(ended);
      shown(`heartbeat of ${now}`, null, at(position));
      return unhealthy().map(({ reason, since }) => `${reason} ${since.getTime()}`);
    };
    expect(looked(1, 1)).to.deep.equal([]);
    now = 2000;
    expect(looked(5, 1)).to.deep.equal([]);
    now = 4000;
    expect(looked(6, 4)).to.deep.equal([]);
    now = 6000;
    expect(looked(7, 4), 'what came at 0 to 2 s').to.deep.equal(['It is behind the log 0']);
    now = 8000;
    expect(looked(8, 5), 'what came at 2 to 4 s').to.deep.equal(['It is behind the log 2000']);
    expect(looked(8, 7), 'what has just come').to.deep.equal([]);
    expect(looked(8, 8)).to.deep.equal([]);
  });

  it('holds a projection up that serves nothing while the log has events', () => {
    const { unhealthy } = watch();
    end = at(1);
    shown('a');
    expect(unhealthy()).to.deep.equal([]);
    now = 4001;
    shown('b');
    expect(unhealthy()[0]).to.deep.include({ reason: 'It is behind the log', since: new Date(0) });
  });

  it('tells how long a projection has been behind, however often the log was asked since', () => {
    const { unhealthy } = watch();
    end = at(1);
    for (now = 0; now <= 300_000; now += 2000) {
      shown(`heartbeat of ${now}`);
      unhealthy();
    }
    expect(unhealthy()[0]?.since).to.deep.equal(new Date(0));
  });

  it('tells by when the log was asked, however late it answers', () => {
    const { unhealthy, logEnds } = watch();
    isLogThere = false;
    shown('a');
    now = 3000;
    logEnds(null, new Date(1000));
    now = 3500;
    logEnds(at(1), new Date(3000));
    now = 5000;
    expect(unhealthy()).to.deep.equal([]);
    now = 5001;
    expect(unhealthy()[0]).to.deep.include({ reason: 'It is behind the log', since: new Date(1000) });
  });

  it('reports a lag of more than a hundred looks as one of a hundred, while the log goes on', () => {
    const { unhealthy } = watch();
    for (now = 0; now < 400_000; now += 2000) {
      end = at(now);
      shown(`heartbeat of ${now}`);
      unhealthy();
    }
    expect(unhealthy()[0]?.since).to.deep.equal(new Date(400_000 - 2000 * 101));
  });

  it('keeps since when it is held up if the reason becomes another', () => {
    const { unhealthy } = watch();
    const reasonAt = (moment: number): unknown => {
      now = moment;
      return unhealthy().map(({ reason, since }) => `${reason} ${since.getTime()}`);
    };
    now = 1000;
    shown('a', stopped);
    expect(reasonAt(1000)).to.deep.equal(['poison 1000']);
    now = 2000;
    shown('b', stopped);
    expect(reasonAt(2000)).to.deep.equal(['poison 1000']);
    expect(reasonAt(9500), 'without another heartbeat').to.deep.equal(['No worker keeps it up to date 1000']);
    answered = 9500;
    expect(reasonAt(13_000)).to.deep.equal(['The read models do not answer 1000']);
  });

  it('reports all projections as held up while the end of the log is unknown', () => {
    const { unhealthy } = watch();
    now = 1000;
    end = at(1);
    shown('a', null, at(1));
    expect(unhealthy()).to.deep.equal([]);
    isLogThere = false;
    now = 5000;
    shown('b', null, at(1));
    expect(unhealthy()).to.deep.equal([]);
    now = 5001;
    expect(unhealthy()[0]).to.deep.include({ reason: 'The log does not answer', since: new Date(1000) });
    isLogThere = true;
    expect(unhealthy()).to.deep.equal([]);
  });
});
