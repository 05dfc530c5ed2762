import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { claimLabels, plannedLabels } from '../../src/artifacts/open-values.js';
import { type EventLog } from '../../src/core/event-log.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { openValuesStream, type OpenValueEvent } from '../../src/trackers/tracker-events.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const MANY = 2000;
const list = { fieldId: 501, trackerId: 122 };
const stream = openValuesStream(list.fieldId);
const metadata = { actor: 115, at: '2026-01-01T00:00:00.000Z' };

describe('labels added to an open list of 2000 labels', () => {
  let directory: TemporaryDirectory;
  let stored: SqliteEventLog;
  /** How many events were read. */
  let reads: number;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    stored = await sqliteEventLog(directory.path);
    const events = Array.from({ length: MANY }, (_, n) => ({
      type: 'OpenValueAdded',
      data: { ...list, number: n + 1, label: `label ${n + 1}` },
      id: randomUUID(),
    }));
    await stored.append(stream, -1, events, { ...metadata, schema: 1, commandId: 'many' });
  });
  afterEach(async () => {
    await stored.close();
    await directory.remove();
  });

  /** Its commands queue on their own, and it keeps nothing of what other processes read. */
  const process = (): EventLog => ({
    ...stored,
    read: async (...given) => {
      const read = await stored.read<never>(...given);
      reads += read.events.length;
      return read;
    },
  });
  const plan = (log: EventLog, ...labels: readonly string[]) => plannedLabels(log, { ...list, labels, defined: 0 });
  const add = async (log: EventLog, ...labels: readonly string[]) =>
    claimLabels(log, await plan(log, ...labels), metadata);
  const added = async () => {
    const { events } = await stored.read<OpenValueEvent>(stream, { last: 10 });
    return events.flatMap(({ data: { number, label } }) => (number > MANY ? [`${number} ${label}`] : []));
  };

  it('take a reading of the new events only, also while other processes add some', async () => {
    const [one, other] = [process(), process()];
    for (const log of [one, other]) await plan(log, 'label 1');
    reads = 0;
    await add(one, 'a');
    const planned = await plan(one, 'b');
    await add(other, 'c');
    expect(await claimLabels(one, planned, metadata)).to.equal(null);
    expect((await add(one, 'b', 'd'))?.numbers.get('d')).to.equal(MANY + 4);
    expect(await added()).to.deep.equal(['2001 a', '2002 c', '2003 b', '2004 d']);
    expect(reads).to.be.below(30);
  });

  it('have one number when two processes add them at once, and both wait for the event that gave it', async () => {
    const [one, other] = [process(), process()];
    const [planned, twin] = await Promise.all([plan(one, 'same'), plan(other, 'same')]);
    const first = await claimLabels(one, planned, metadata);
    const second = await claimLabels(other, twin, metadata);
    expect(await added()).to.deep.equal(['2001 same']);
    const { events } = await stored.read(stream, { last: 1 });
    expect([first?.position, second?.position]).to.deep.equal([events[0]?.position, events[0]?.position]);
    expect([first, second].map((claimed) => claimed?.numbers.get('same'))).to.deep.equal([2001, 2001]);
  });
});
