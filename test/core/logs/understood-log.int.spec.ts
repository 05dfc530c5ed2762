import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  NO_STREAM,
  UnreadableEvent,
  UnsupportedEvent,
  type EventLog,
  type StreamName,
} from '../../../src/core/event-log.js';
import { eventRegistry } from '../../../src/core/event-types.js';
import { understoodLog, type UnderstoodBatch } from '../../../src/core/logs/understood-log.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { metadata, newStream, noted, rejection } from '../../stores/contracts/event-log-fixture.js';
import { HALF, plantEvent } from '../../support/damaged-log.js';
import { onDouble, PREFIX } from '../../support/eventstoredb/opened.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Logged {
  readonly log: EventLog & { close(): Promise<void> };
  readonly plant: (stream: StreamName, type: string) => void;
  readonly close: () => Promise<void>;
}

const logs: Readonly<Record<string, () => Promise<Logged>>> = {
  SQLite: async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    const plant = (stream: StreamName, type: string): void => {
      plantEvent(directory.path, stream, type, { data: HALF });
    };
    const close = async (): Promise<void> => {
      await log.close();
      await directory.remove();
    };
    return { log, plant, close };
  },
  'a double of EventStoreDB': async () => {
    const { double, log, close } = await onDouble({ timing: {} });
    const plant = (stream: StreamName, type: string): void => {
      double.planted(`${PREFIX}${stream}`, type, HALF, '{}');
    };
    return {
      log,
      plant,
      close: async () => {
        await log.close();
        await close();
      },
    };
  },
};

/** Schema 2 calls the text words. */
const registry = eventRegistry({
  note: { NoteTaken: [(data) => ({ words: 'text' in data ? data.text : '' })], NoteDropped: [] },
});

for (const [name, opened] of Object.entries(logs)) {
  describe(`a log on ${name}, as a release understands it`, () => {
    let on: Logged;
    let log: ReturnType<typeof understoodLog>;
    let stream: StreamName;

    beforeEach(async () => {
      on = await opened();
      log = understoodLog(on.log, registry);
      stream = newStream();
    });
    afterEach(() => on.close());

    const append = (type: string, schema: number, expected = NO_STREAM) =>
      on.log.append(stream, expected, [noted({ text: 'hello' }, type)], { ...metadata, schema });
    const readings = {
      readAll: (leftOut: readonly string[]) => log.readAll(null, leftOut),
      subscribe: (leftOut: readonly string[]) => log.subscribe(null, leftOut, new AbortController().signal),
    };
    const batchesUpTo = async (position: string, batches: AsyncIterable<UnderstoodBatch>) => {
      const seen: UnderstoodBatch[] = [];
      for await (const batch of batches) {
        seen.push(batch);
        if (batch.position >= position) break;
      }
      return seen;
    };

    it('gives the events of a stream in the newest schema', async () => {
      await append('NoteTaken', 1);
      await on.log.append(stream, 0, [noted({ words: 'you' })], { ...metadata, schema: 2 });
      const { events, revision } = await log.read(stream);
      expect(revision).to.equal(1);
      expect(events.map(({ data }) => data)).to.deep.equal([{ words: 'hello' }, { words: 'you' }]);
      expect(events.map((event) => event.metadata.schema)).to.deep.equal([2, 2]);
    });

    for (const [what, type, schema] of [
      ['of an unknown type', 'NoteSung', 1],
      ['of a newer schema', 'NoteTaken', 3],
    ] as const) {
      it(`refuses a stream that holds an event ${what}, and says which`, async () => {
        await append('NoteTaken', 1);
        const { position } = await append(type, schema, 0);
        const refused = await rejection(log.read(stream));
        expect(refused).to.be.instanceOf(UnsupportedEvent);
        expect(refused).to.include({ kind: 'unavailable', type, schema, stream, revision: 1, position });
        expect(String(refused)).to.include(stream).and.to.include(`${type}, schema ${schema}, revision 1`);
      });
    }

    for (const [title, reading] of Object.entries(readings)) {
      it(`separates events that it does not understand in ${title}`, async () => {
        await append('NoteTaken', 1);
        await append('NoteSung', 1, 0);
        await append('NoteDropped', 2, 1);
        const { position } = await append('NoteDropped', 1, 2);
        const batches = await batchesUpTo(position, reading([]));
        const events = batches.flatMap((batch) => batch.events);
        const unsupported = batches.flatMap((batch) => batch.unsupported);
        expect(events.map(({ type, metadata: { schema } }) => [type, schema])).to.deep.equal([
          ['NoteTaken', 2],
          ['NoteDropped', 1],
        ]);
        expect(events[0]?.data).to.deep.equal({ words: 'hello' });
        expect(unsupported.map(({ type, schema, revision }) => [type, schema, revision])).to.deep.equal([
          ['NoteSung', 1, 1],
          ['NoteDropped', 2, 2],
        ]);
      });

      it(`goes on in ${title} after what is of an unknown type and cannot be read, and ends at what is of a known one`, async () => {
        await append('NoteTaken', 1);
        on.plant(stream, 'NoteSung');
        const { position } = await append('NoteDropped', 1, 1);
        const batches = await batchesUpTo(position, reading([]));
        expect(batches.flatMap((batch) => batch.events.map(({ type }) => type))).to.deep.equal([
          'NoteTaken',
          'NoteDropped',
        ]);
        expect(batches.flatMap((batch) => batch.unsupported)).to.have.length(1);
        expect(batches.flatMap((batch) => batch.unsupported)[0]).to.include({
          type: 'NoteSung',
          schema: null,
          revision: 1,
        });

        on.plant(stream, 'NoteDropped');
        await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
        expect(await rejection(batchesUpTo('g', reading([])))).to.be.instanceOf(UnreadableEvent);
      });
    }

    it('appends in the newest schema', async () => {
      await log.append(stream, NO_STREAM, [noted({ words: 'hello' })], metadata);
      await log.append(stream, 0, [{ ...noted({}, 'NoteDropped'), id: randomUUID() }], metadata);
      expect((await on.log.read(stream)).events.map((event) => event.metadata.schema)).to.deep.equal([2, 1]);
      expect((await log.read(stream)).events.map(({ data }) => data)).to.deep.equal([{ words: 'hello' }, {}]);
      const mixed = [noted({ words: 'hello' }), noted({}, 'NoteDropped')];
      expect(String(await rejection(log.append(stream, 1, mixed, metadata)))).to.include('several schemas');
    });
  });
}
