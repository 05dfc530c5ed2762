import { expect } from 'chai';
import { reflectedLog } from '../../../projections/health/reflected-log.js';
import { initialStatus, transition, type ProjectionStatus } from '../../../projections/engine/projection-status.js';
import { type Position } from '../../../src/core/event-log.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { at } from '../../stores/contracts/read-models-fixture.js';

const END = at(10);
const UNKNOWN = { projection: 'users', state: 'unknown', reflected: null };

describe('the part of the log that readers see', () => {
  const users = initialStatus({ name: 'users', version: 1 });
  const serving = (position: Position | null): ProjectionStatus =>
    transition(users, { type: 'served', progress: { generation: 1, position, event: null, marks: NO_MARKS } });

  const told = async (
    status: () => Promise<ProjectionStatus>,
    end: () => Promise<Position | null> = () => Promise.resolve(END),
    since?: Date,
  ) => {
    const held = { projection: 'users', state: 'troubled', reason: '', poison: null } as const;
    const [users] = await reflectedLog({
      projections: { names: ['users'], status: async () => [await status()] },
      unhealthy: () => (since === undefined ? [] : [{ ...held, since }]),
      log: { end, fractionAt: () => 0.5 },
    });
    return users;
  };
  const reflected = async (status: ProjectionStatus, end: Position | null = END) =>
    (await told(
      () => Promise.resolve(status),
      () => Promise.resolve(end),
    ))!.reflected;

  it('is nothing before any event, a part in between, and all from the end on', async () => {
    expect(await reflected(users)).to.equal(0);
    expect(await reflected(serving(null))).to.equal(0);
    expect(await reflected(serving(at(5)))).to.equal(0.5);
    expect(await reflected(serving(END))).to.equal(1);
    expect(await reflected(serving(at(11)))).to.equal(1);
  });

  it('is all of an empty log', async () => {
    expect(await reflected(users, null)).to.equal(1);
  });

  it('is told with what holds the projection up', async () => {
    const state = async (since?: Date) => (await told(() => Promise.resolve(serving(END)), undefined, since))?.state;
    expect([await state(), await state(new Date(0))]).to.deep.equal(['live', 'troubled']);
  });

  it('is unknown where a store fails or does not answer in a second, but what is held up is not', async () => {
    const never = new Promise<never>(() => undefined);
    const failed = () => Promise.reject(new Error('no answer'));
    expect(await told(failed)).to.deep.equal(UNKNOWN);
    expect(await told(() => Promise.resolve(users), failed)).to.deep.equal(UNKNOWN);
    expect(await told(() => never)).to.deep.equal(UNKNOWN);
    expect(await told(failed, undefined, new Date(0))).to.deep.equal({ ...UNKNOWN, state: 'troubled' });
  });
});
