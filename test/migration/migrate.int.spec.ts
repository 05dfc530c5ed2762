import { expect } from 'chai';
import fc from 'fast-check';
import { type Notice } from '../../src/migration/migrate.js';
import { Refused } from '../../src/migration/refused.js';
import { sha256 } from '../stores/contracts/blob-store.contract.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import {
  deeds,
  embedded,
  everything,
  fill,
  holds,
  kept,
  migrated,
  notes,
  production,
  type Side,
  sides,
  uploaded,
  withId,
} from './migration-fixture.js';

describe('a migration', () => {
  const { open, closeAll } = sides();
  afterEach(closeAll);

  describe('of any log', () => {
    it('to other stores and back gives the same log and the same files', async () => {
      const law = fc.asyncProperty(deeds(), async (done) => {
        const [first, there, back] = [await open(embedded), await open(production), await open(embedded)];
        await fill(first, done);
        const out = (await migrated(first, there)).result;
        const home = (await migrated(there, back)).result;

        expect([out.equal, out.grown, home.equal, home.grown]).to.deep.equal([true, false, true, false]);
        const log = await kept(first);
        expect(await kept(there)).to.deep.equal(log);
        expect(await kept(back)).to.deep.equal(log);
        for (const { bytes } of done) expect(bytes === null || (await holds(back, bytes))).to.equal(true);
        expect(home.log.target).to.deep.equal(out.log.source);
        expect(home.files.target).to.deep.equal(out.files.source);
        await closeAll();
      });
      await fc.assert(law, { numRuns: 8 });
    });

    for (const [title, target] of [
      ['production', production],
      ['embedded', embedded],
    ] as const) {
      it(`goes on where it was cut off on its way to ${title} stores, wherever that was`, async () => {
        const law = fc.asyncProperty(
          deeds({ minLength: 3 }),
          fc.array(fc.nat(60), { maxLength: 3 }),
          async (done, cuts) => {
            const [from, to] = [await open(embedded), await open(target)];
            await fill(from, done);
            for (const cut of cuts) {
              const stood = await everything(to);
              const cutting = new AbortController();
              const on = (_: unknown, before: number): void => {
                if (before === cut) cutting.abort();
              };
              await migrated(from, to, { signal: cutting.signal, on }).catch((error: unknown) => {
                if (!cutting.signal.aborted) throw error;
              });
              expect((await everything(to)).slice(0, stood.length)).to.deep.equal(stood);
            }
            const { length } = await everything(to);
            const { result } = await migrated(from, to);

            expect(result.equal).to.equal(true);
            expect(await kept(to)).to.deep.equal(await kept(from));
            expect(result.copied.events).to.equal(result.log.source.events - length);
            for (const { bytes } of done) expect(bytes === null || (await holds(to, bytes))).to.equal(true);
            await closeAll();
          },
        );
        await fc.assert(law, { numRuns: 8 });
      });
    }

    it('does nothing a second time', async () => {
      const [from, to] = [await open(embedded), await open(production)];
      await fill(from, [...notes(20), uploaded(1, 'bytes')]);
      await migrated(from, to);
      const stood = await everything(to);
      const { result } = await migrated(from, to);
      expect(result).to.deep.include({ equal: true, copied: { events: 0, files: 0 } });
      expect(await everything(to)).to.deep.equal(stood);
    });

    it('takes no log that it has not read to its end for a whole one', async () => {
      const [from, to] = [await open(embedded), await open(embedded)];
      await fill(from, notes(1200));
      for (const stage of ['comparing', 'copying events', 'verifying events'] as const) {
        const cutting = new AbortController();
        const on = (notice: Notice): void => {
          if (notice.type === 'progress' && notice.stage === stage) cutting.abort();
        };
        expect(await rejection(migrated(from, to, { signal: cutting.signal, on })), stage).to.equal(
          cutting.signal.reason,
        );
      }
      expect((await migrated(from, to)).result).to.deep.include({ equal: true });
    });

    it('lets read models be forgotten before it writes anything', async () => {
      const [from, to] = [await open(embedded), await open(embedded)];
      await fill(from, notes(3));
      await migrated(from, to);
      expect(to.forgotten).to.deep.equal([null]);
    });

    it('counts events, streams and files, and tells of its progress', async () => {
      const [from, to] = [await open(embedded), await open(production)];
      await fill(from, [...notes(20), uploaded(1, 'bytes'), uploaded(2, 'bytes'), uploaded(3, 'more')]);
      const { result, notices } = await migrated(from, to);

      expect(result.copied).to.deep.equal({ events: 23, files: 2 });
      expect(result.log.target).to.deep.include({ events: 23, streams: 10 });
      expect(result.files.target).to.deep.include({ blobs: 2, bytes: 9 });
      const last = new Map(notices.flatMap((one) => (one.type === 'progress' ? [[one.stage, one]] : [])));
      expect([...last.values()].map(({ stage, done, share }) => [stage, done, share])).to.deep.equal([
        ['comparing', 23, 1],
        ['copying files', 2, 1],
        ['copying events', 23, 1],
        ['verifying events', 23, 1],
        ['verifying files', 2, 1],
      ]);
    });

    it('takes streams of which only the end matters without the beginning that they have lost', async () => {
      const ends = ['ids', 'deletions', 'request'].map((category) => notes(30, category));
      const [from, to, back] = [await open(production), await open(production), await open(embedded)];
      await fill(from, [...ends.flat(), ...notes(10)]);
      for (const category of ['ids', 'deletions', 'request']) {
        for (const n of [0, 1, 2]) from.double.log.truncate(`ledger.${category}-${n}`, 3 + (n % 2));
      }
      from.double.log.scavenge();
      const cutting = new AbortController();
      const on = (notice: Notice): void => {
        if (notice.type === 'progress' && notice.stage === 'copying events' && notice.done > 40) cutting.abort();
      };
      expect(await rejection(migrated(from, to, { signal: cutting.signal, on }))).to.equal(cutting.signal.reason);
      expect((await migrated(from, to)).result).to.deep.include({ equal: true, grown: false });
      expect((await migrated(from, to)).result).to.deep.include({ equal: true, copied: { events: 0, files: 0 } });
      expect((await migrated(to, back)).result).to.deep.include({ equal: true });
      for (const side of [to, back]) {
        expect((await everything(side)).map(({ id }) => id)).to.deep.equal(
          (await everything(from)).map(({ id }) => id),
        );
        expect((await side.log.read('ids-0')).events.map(({ revision }) => revision)).to.deep.equal([0, 1]);
        expect((await side.log.read('ids-1')).events.map(({ revision }) => revision)).to.deep.equal([0]);
        expect((await side.log.read('ids-3')).revision).to.equal(3);
      }
    });

    it('leaves alone what else is on the server', async () => {
      const [from, to] = [await open(production), await open(production)];
      to.double.foreign('other-1');
      await fill(from, notes(3));
      from.double.foreign('other-1');
      from.double.foreign('ledgerless-1');
      await fill(from, notes(3));
      expect((await migrated(from, to)).result).to.deep.include({ equal: true, grown: false });
      expect(await kept(to)).to.deep.equal(await kept(from));
    });
  });

  describe('is refused', () => {
    let from: Side;
    let to: Side;
    beforeEach(async () => {
      [from, to] = [await open(embedded), await open(production)];
      await fill(from, [...notes(5), uploaded(1, 'bytes')]);
    });

    const refusal = async (): Promise<string> => {
      const stood = await everything(to);
      const refused = await rejection(migrated(from, to));
      expect(refused).to.be.instanceOf(Refused);
      expect(await everything(to)).to.deep.equal(stood);
      expect(await to.blobs.exists(sha256('bytes'))).to.equal(false);
      expect(to.forgotten, 'read models').to.deep.equal([]);
      return (refused as Refused).message;
    };
    const copyWith = async (change: (event: Parameters<typeof altered>[0]) => ReturnType<typeof altered>) => {
      for (const [n, event] of (await everything(from)).slice(0, 4).entries()) {
        const { stream, revision, metadata, id, type, data } = n === 2 ? change(event) : event;
        await to.log.append(stream, revision - 1, [{ id, type, data }], metadata);
      }
    };
    const altered = (event: Awaited<ReturnType<typeof everything>>[number]) => event;

    for (const [fact, change] of [
      ['id', (event) => ({ ...event, id: withId(event).id })],
      ['stream, revision', (event) => ({ ...event, stream: 'note-0', revision: 1 })],
      ['type', (event) => ({ ...event, type: 'NoteTorn' })],
      ['data', (event) => ({ ...event, data: { n: '2' } })],
      ['metadata', (event) => ({ ...event, metadata: { ...event.metadata, actor: 8 } })],
    ] as readonly (readonly [string, typeof altered])[]) {
      it(`where the target holds another ${fact}, and names the event`, async () => {
        await copyWith(change);
        expect(await refusal()).to.match(
          new RegExp(
            `first difference is event 3: in the source it is NoteTaken of note-2 at revision 0, .*in ${fact}$`,
          ),
        );
      });
    }

    it('where the target holds more', async () => {
      await migrated(from, to);
      await fill(to, notes(1, 'new'));
      const stood = await everything(to);
      const refused = await rejection(migrated(from, to));
      expect(refused).to.be.instanceOf(Refused);
      expect(refused).to.have.property(
        'message',
        'The target holds more than the 6 events of the source: next, NoteTaken of new-0 at revision 0',
      );
      expect(await everything(to)).to.deep.equal(stood);
    });

    it('where another stream of the source has lost its beginning, and names it', async () => {
      const source = await open(production);
      await fill(source, [...notes(5), ...notes(5)]);
      source.double.log.truncate('ledger.note-0', 1);
      source.double.log.scavenge();
      const refused = await rejection(migrated(source, await open(embedded)));
      expect(refused).to.be.instanceOf(Refused);
      expect(refused)
        .to.have.property('message')
        .that.matches(/does not take NoteTaken of note-0 at revision 1/);
    });

    it('where the source is empty', async () => {
      from = await open(embedded);
      expect(await refusal()).to.equal('The source holds no events');
    });
  });
});
