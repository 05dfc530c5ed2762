import { expect } from 'chai';
import { type Position } from '../../src/core/event-log.js';
import { copyEvents } from '../../src/migration/copy-events.js';
import { type Notice } from '../../src/migration/migrate.js';
import { Refused } from '../../src/migration/refused.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import {
  embedded,
  everything,
  fill,
  holds,
  kept,
  migrated,
  notes,
  production,
  sides,
  uploaded,
} from './migration-fixture.js';

const isCopying = (notice: Notice): boolean => notice.type === 'progress' && notice.stage === 'copying events';

describe('a migration while another process writes', () => {
  const { open, closeAll } = sides();
  afterEach(closeAll);

  it('to the source goes on until it has caught up, and says so', async () => {
    const [from, to] = [await open(production), await open(embedded)];
    await fill(from, [...notes(30), uploaded(1, 'one')]);
    let writing: Promise<void> | undefined;
    const on = (notice: Notice): void => {
      if (isCopying(notice)) writing ??= fill(from, [...notes(10), uploaded(2, 'two')]);
    };
    const { result, notices } = await migrated(from, to, { on });
    await writing;

    expect([result.grown, to.isUsable()]).to.deep.equal([true, false]);
    expect(notices.some(({ type }) => type === 'grown')).to.equal(true);
    const again = (await migrated(from, to)).result;
    expect([again.equal, again.grown, again.log.target.events]).to.deep.equal([true, false, 42]);
    expect(to.isUsable()).to.equal(true);
    expect(await holds(to, 'two')).to.equal(true);
  });

  it('to the source without an end comes to an end itself, with all that it has seen', async () => {
    const [from, to] = [await open(embedded), await open(embedded)];
    await fill(from, notes(20));
    let writing = Promise.resolve();
    const on = (notice: Notice): void => {
      if (isCopying(notice)) writing = writing.then(() => fill(from, notes(1)));
    };
    const { result } = await migrated(from, to, { on });
    await writing;
    expect([result.equal, result.grown]).to.deep.equal([true, true]);
    const there = await kept(to);
    expect(there.length).to.be.within(20, 80);
    expect((await kept(from)).slice(0, there.length)).to.deep.equal(there);
  });

  it('to the same stream of the target is refused', async () => {
    const [from, to] = [await open(embedded), await open(production)];
    await fill(from, notes(20));
    const on = (notice: Notice): void => {
      if (notice.type === 'progress' && notice.stage === 'comparing') to.double.foreign('ledger.note-3');
    };
    const refused = await rejection(migrated(from, to, { on }));
    expect(refused).to.be.instanceOf(Refused);
    expect(refused)
      .to.have.property('message')
      .that.matches(/^The target does not take NoteTaken of note-3 .*another process write/);
  });

  it('to another stream of the target is found in the end', async () => {
    const [from, to] = [await open(embedded), await open(production)];
    await fill(from, notes(20));
    let told = false;
    const on = (notice: Notice): void => {
      if (!isCopying(notice) || told) return;
      told = true;
      to.double.foreign('ledger.intruder-1');
    };
    const { result } = await migrated(from, to, { on });
    expect([result.equal, result.log.source.events, result.log.target.events]).to.deep.equal([false, 20, 21]);
  });

  it('to the source has the bytes of what came meanwhile copied, too', async () => {
    const [from, to] = [await open(embedded), await open(embedded)];
    await fill(from, notes(5));
    let writing: Promise<void> | undefined;
    const on = (notice: Notice): void => {
      if (isCopying(notice)) writing ??= fill(from, [uploaded(1, 'late')]);
    };
    const end = async (): Promise<Position | null> => {
      await writing;
      return from.log.end();
    };
    const { result } = await migrated({ ...from, log: { ...from.log, end } }, to, { on });
    expect([result.equal, result.log.target.events, result.files.target.blobs]).to.deep.equal([true, 6, 1]);
    expect(await holds(to, 'late')).to.equal(true);
  });

  it('or has written what it was about to when it was killed, repeats no event of a stream that may begin later', async () => {
    const [from, to] = [await open(embedded), await open(embedded)];
    await fill(from, [...notes(1, 'ids'), ...notes(1, 'ids')]);
    const [first, second] = await everything(from);
    for (const { stream, revision, id, type, data, metadata } of [first!, second!]) {
      await to.log.append(stream, revision - 1, [{ id, type, data }], metadata);
    }
    const left = { after: first!.position, upTo: second!.position };
    await copyEvents(from.log, to.log, left, () => undefined, new AbortController().signal);
    expect(await kept(to)).to.deep.equal(await kept(from));
  });
});
