import { expect } from 'chai';
import { followsUsers } from '../../src/authentication/follows-users.js';
import { PROJECTS } from '../../src/projects/project-view.js';
import { USERS } from '../../src/users/user-view.js';

const SECOND = 1000;

describe('whether users and groups are followed', () => {
  let now: number;
  let held: { readonly projection: string; readonly state?: string; readonly since: Date }[];
  let looks: number;
  let follows: () => boolean;
  let start: () => Promise<void>;
  beforeEach(async () => {
    [now, held] = [0, []];
    const unhealthy = () => {
      looks += 1;
      return held.map((each) => ({ state: 'troubled', ...each }));
    };
    start = async () => {
      const ready = Promise.resolve();
      follows = followsUsers({ unhealthy, projections: { ready } }, () => new Date(now));
      await ready;
    };
    await start();
    looks = 0;
  });

  it('is true until they have been held up for ten seconds, and again once they go on', () => {
    expect(follows()).to.equal(true);
    held = [
      { projection: PROJECTS, since: new Date(SECOND) },
      { projection: USERS, since: new Date(0) },
    ];
    now = 10 * SECOND - 1;
    expect(follows()).to.equal(true);
    now += 100;
    expect(follows()).to.equal(false);
    held = [];
    now += 100;
    expect(follows()).to.equal(true);
  });

  it('does not depend on other projections', () => {
    const since = new Date(-60 * SECOND);
    held = ['artifacts', 'trackers', 'platform'].map((projection) => ({ projection, since }));
    expect(follows()).to.equal(true);
    for (const projection of [USERS, PROJECTS]) {
      held = [{ projection, since }];
      now += SECOND;
      expect(follows(), projection).to.equal(false);
    }
  });

  it('is false at once where they have stopped before the start, until they go on', async () => {
    held = [{ projection: USERS, since: new Date(0) }];
    await start();
    expect(follows()).to.equal(true);
    held = [{ projection: USERS, state: 'stopped', since: new Date(0) }];
    await start();
    expect(follows()).to.equal(false);
    now = 200;
    held = [];
    expect(follows()).to.equal(true);
    now = 400;
    held = [{ projection: USERS, since: new Date(now) }];
    expect(follows()).to.equal(true);
  });

  it('says nothing of a start that fails, which tells of itself', async () => {
    const ready = Promise.reject(new Error('the read models do not get ready'));
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.prependListener('unhandledRejection', listen);
    followsUsers({ unhealthy: () => [], projections: { ready } }, () => new Date(now));
    await new Promise(setImmediate);
    process.off('unhandledRejection', listen);
    expect(rejections).to.deep.equal([]);
  });

  it('is looked up ten times in a second at most', () => {
    for (; now < SECOND; now += 10) follows();
    expect(looks).to.equal(10);
  });
});
