import { expect } from 'chai';
import { archiveDocument, type DeletedArtifact } from '../../../src/artifacts/archive/archive-document.js';
import { attachmentsOf } from '../../../src/artifacts/archive/attachments.js';
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { at as positionAt } from '../../stores/contracts/read-models-fixture.js';
import { fieldOf, listValueOf, projectOf, trackerViewOf } from '../../support/definitions.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { turns } from '../../support/turns.js';
import { recorded, slicesOf } from './recorded-events.js';

const ids = { artifactId: 7, trackerId: 101 };

interface Written extends Pick<DeletedArtifact, 'tracker' | 'values'> {
  readonly changes?: readonly FieldValues[];
  readonly usernameOf?: DeletedArtifact['usernameOf'];
}

/** The number of `<item>` elements. */
async function itemsWritten({ changes = [], usernameOf = () => undefined, ...artifact }: Written): Promise<number> {
  const events = changes.map((values, revision) =>
    recorded({ type: 'ArtifactValuesChanged', data: { ...ids, values } }, revision),
  );
  const document = archiveDocument({
    ...artifact,
    deleted: recorded({ type: 'ArtifactDeleted', data: ids }, changes.length),
    events: slicesOf(events),
    atid: 3,
    project: projectOf(),
    linkedFrom: { linkedFrom: [] },
    attachments: [],
    usernameOf,
  });
  let text = '';
  for await (const piece of document) text += piece;
  return text.split('<item ').length - 1;
}

describe('the document of a large deleted artifact', () => {
  it('lets others have their turn after some hundreds of the items in its lists', async () => {
    const fields = Array.from({ length: 100 }, (_, n) => fieldOf(n + 1, 'msb', { bind: 'users', from: [3] }));
    const users = Array.from({ length: 1000 }, (_, n) => n + 101);
    const values = Object.fromEntries(fields.map(({ id }) => [String(id), users]));
    const loop = turns();
    const named = new Map<number, number>();
    const usernameOf = (id: number): string => {
      named.set(loop.count(), (named.get(loop.count()) ?? 0) + 1);
      return `user${id}`;
    };
    const written = await itemsWritten({ tracker: trackerViewOf(fields), values, usernameOf });
    loop.stop();
    expect(written).to.equal(100_000);
    expect(Math.max(...named.values())).to.be.below(1000);
  });

  it('looks through the labels of a list once, however often the artifact was changed', async () => {
    let looked = 0;
    const value = {
      ...listValueOf(201),
      get label(): string {
        looked += 1;
        return 'label';
      },
    };
    const tracker = trackerViewOf([fieldOf(1, 'sb', { bind: 'static', values: [value], default: [201] })]);
    const change = { '1': [201] };
    expect(await itemsWritten({ tracker, values: change, changes: Array.from({ length: 50 }, () => change) })).to.equal(
      52,
    );
    // In the structure of the tracker, and for all values.
    expect(looked).to.equal(2);
  });

  it('reads its files one after the other, while others have their turn', async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    let [reading, most] = [0, 0];
    const counting: typeof log = {
      ...log,
      read: async (...given: Parameters<typeof log.read>) => {
        reading += 1;
        most = Math.max(most, reading);
        const read = await log.read(...given);
        reading -= 1;
        return read as never;
      },
    };
    const files = Array.from({ length: 4000 }, (_, n) => n + 1);
    const events: readonly ArtifactEvent[] = [
      { type: 'ArtifactValuesChanged', data: { ...ids, values: { '13': files } } },
    ];
    const loop = turns();
    const attachments = await attachmentsOf(slicesOf(events), [fieldOf(13, 'file')], counting, positionAt(1));
    loop.stop();
    await log.close();
    await directory.remove();
    expect(attachments.map(({ id }) => id)).to.deep.equal(files);
    expect(most).to.equal(1);
    expect(loop.count()).to.be.at.least(3);
  });
});
