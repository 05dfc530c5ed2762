/** What all registers of failing work have to do. */
import { expect } from 'chai';
import { type FailingItem, type FailingWorkRegister } from '../../../src/core/recovery/failing-work.js';

export const FAILING: FailingItem = {
  what: 'links',
  item: 'artifact-7',
  reason: 'artifact-7 resists',
  failures: 2,
  since: '2026-11-22T10:00:00.000Z',
  nextTry: '2026-11-22T10:01:00.000Z',
};

export interface OpenedRegister {
  /** Of one process, and of another one where there may be several. */
  readonly registers: readonly [FailingWorkRegister, FailingWorkRegister];
  readonly close: () => Promise<void>;
}

export function itKeepsTheFailingWorkContract(open: () => Promise<OpenedRegister>): void {
  let opened: OpenedRegister;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  it('is empty before the first report', async () => {
    expect(await opened.registers[1].last()).to.deep.equal({ count: 0, items: [] });
  });

  it('returns the last report', async () => {
    const [here, there] = opened.registers;
    await here.publish({ count: 21, items: [FAILING] });
    expect(await there.last()).to.deep.equal({ count: 21, items: [FAILING] });
    await there.publish({ count: 0, items: [] });
    expect(await here.last()).to.deep.equal({ count: 0, items: [] });
  });
}
