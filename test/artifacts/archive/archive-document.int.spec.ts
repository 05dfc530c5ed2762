import { expect } from 'chai';
import { archiveDocument, type DeletedArtifact } from '../../../src/artifacts/archive/archive-document.js';
import { attachmentsOf } from '../../../src/artifacts/archive/attachments.js';
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { NO_STREAM, type Recorded } from '../../../src/core/event-log.js';
import { fileStream, type FileEvent } from '../../../src/files/file-events.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { type Field, type FieldType } from '../../../src/trackers/field-types/definition.js';
import { fieldOf, listValueOf, projectOf, trackerViewOf } from '../../support/definitions.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { at, readXml, validate } from './archive-schema.js';
import { recorded, slicesOf } from './recorded-events.js';

const NASTY = '\u0000 half \ud83d of "<&>" \ufffe\r\n ]]> \u{1F600}';
const nasty = (id: number, type: FieldType, given: Partial<Field> = {}): Field =>
  fieldOf(id, type, { label: NASTY, description: NASTY, ...given });

const LISTED = {
  bind: 'static',
  values: [listValueOf(201, { label: NASTY, color: 'red' }), listValueOf(202)],
} as const;
const EVERY_VALUE: readonly (readonly [Field, FieldValue])[] = [
  [nasty(1, 'string', { maxChars: 10, size: 30, default: NASTY }), NASTY],
  [nasty(2, 'text', { rows: 4, default: { text: NASTY, format: 'html' } }), { text: NASTY, format: 'commonmark' }],
  [nasty(3, 'int', { default: 0 }), -5],
  [nasty(4, 'float'), 1e-7],
  [nasty(5, 'date', { time: true }), { date: '2024-03-05T10:11:00Z' }],
  [nasty(6, 'sb', { ...LISTED, default: [202] }), [201]],
  [nasty(7, 'msb', { bind: 'users', from: [3] }), [115, 999]],
  [nasty(8, 'cb', { bind: 'user_groups', from: [3, 4] }), [4]],
  [nasty(9, 'tbl', LISTED), [{ bound: 201 }, { open: 1, label: NASTY }]],
  [nasty(10, 'art_link'), [{ id: 12, type: '_is_child' }]],
  [nasty(11, 'perm'), []],
  [nasty(12, 'computed', { default: { auto: true } }), { manual: 2 }],
  [nasty(13, 'file', { maxSize: 1000 }), [41, 42]],
  [nasty(14, 'rb', { ...LISTED, used: false, permissions: { read: [1], submit: [3], update: [] } }), null],
];

const values = Object.fromEntries(EVERY_VALUE.map(([{ id }, value]) => [String(id), value]));

const textsOf = (more: Partial<DeletedArtifact>): AsyncIterable<string> =>
  archiveDocument({
    deleted: recorded(
      { type: 'ArtifactDeleted', data: { artifactId: 7, trackerId: 101, toArchive: { linkedFrom: [] } } },
      2,
    ),
    events: slicesOf([
      recorded({ type: 'ArtifactSubmitted', data: { artifactId: 7, trackerId: 101, values } }, 0),
      recorded(
        {
          type: 'ArtifactValuesChanged',
          data: {
            artifactId: 7,
            trackerId: 101,
            values: { '12': { auto: true } },
            comment: { text: NASTY, format: 'text' },
          },
        },
        1,
      ),
    ]),
    values: { ...values, '12': { auto: true } },
    linkedFrom: { linkedFrom: [] },
    atid: 3,
    tracker: trackerViewOf(
      [nasty(90, 'fieldset', { fields: [nasty(91, 'column', { fields: EVERY_VALUE.map(([field]) => field) })] })],
      { label: NASTY, description: NASTY, semantics: { title: 1, status: { field: 6, open: [201] } } },
    ),
    project: projectOf({ label: NASTY }),
    attachments: [],
    usernameOf: (id) => (id === 115 ? 'bob' : undefined),
    ...more,
  });
const document = async (more: Partial<DeletedArtifact> = {}): Promise<string> => {
  let text = '';
  for await (const piece of textsOf(more)) text += piece;
  return text;
};

describe('the document of a deleted artifact', () => {
  it('holds every type of field and every text, and matches its schema', async () => {
    const text = await document();
    validate(text);
    const archive = readXml(text);
    const [first, second] = at(archive, 'changesets/changeset');
    const written = new Map(first!.children.map((value) => [Number(value.attributes['field_id']), value]));
    const items = (id: number) =>
      written.get(id)!.children.map(({ attributes, text: label }) => ({ ...attributes, label }));

    expect([1, 2, 3, 4, 5].map((id) => written.get(id)!.text)).to.deep.equal([
      NASTY,
      NASTY,
      '-5',
      '1e-7',
      '2024-03-05T10:11:00Z',
    ]);
    expect(items(6)[0]).to.deep.include({ id: '201', label: NASTY });
    expect(items(7)).to.deep.equal([
      { id: '115', label: 'bob' },
      { id: '999', label: '' },
    ]);
    expect(items(8)).to.deep.equal([{ id: '4', label: '' }]);
    expect(items(9)[1]).to.deep.include({ number: '1', label: NASTY });
    expect(items(10)).to.deep.equal([{ id: '12', type: '_is_child', label: '' }]);
    expect([items(11), written.get(12)!.text]).to.deep.equal([[], '2']);
    expect(written.get(14)!.attributes).to.include({ empty: 'true', type: 'rb' });
    expect(second!.children.map(({ name, text: said }) => [name, said])).to.deep.equal([
      ['comment', NASTY],
      ['value', ''],
    ]);
    expect(first!.attributes).not.to.have.any.keys('by', 'by_name');
    const fields = at(archive, 'tracker/fields/field/fields/field/fields/field');
    expect(fields).to.have.length(EVERY_VALUE.length);
    const restricted = fields.find(({ attributes }) => attributes['id'] === '14')!;
    expect(restricted.attributes).to.include({ used: 'false' });
    const permissions = restricted.children.find(({ name }) => name === 'permissions');
    expect(permissions?.attributes).to.deep.equal({ read: '1', submit: '3', update: '' });
    expect(at(archive, 'tracker/label')[0]!.text).to.equal(NASTY);
  });

  it('is made while it is taken, in small pieces', async () => {
    let read = 0;
    const comment = { text: '<'.repeat(100_000), format: 'text' } as const;
    async function* many(): AsyncGenerator<readonly Recorded<ArtifactEvent>[]> {
      for (read = 1; read <= 30; read += 1) {
        const data = { artifactId: 7, trackerId: 101, values: {}, comment };
        yield [await Promise.resolve(recorded({ type: 'ArtifactValuesChanged', data }, read))];
      }
    }
    let taken = 0;
    for await (const { length } of textsOf({ events: many() })) {
      taken += length;
      expect(length).to.be.below(600_000);
      expect(read).to.be.at.most(2 + taken / 400_000);
    }
    expect(taken).to.be.above(30 * 400_000);
  });

  it('is the same bytes each time', async () => {
    expect(await document()).to.equal(await document());
  });

  it('lists the files that the artifact ever held', async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    const info = { owner: 115, name: NASTY, mediaType: 'text/plain', description: '', expected: null, fieldId: null };
    const happened: readonly FileEvent[] = [
      { type: 'FileUploadStarted', data: { fileId: 41, ...info } },
      { type: 'FileChunkAdded', data: { fileId: 41, owner: 115, number: 1, digest: 'aa'.repeat(32), size: 10 } },
      { type: 'FileChunkAdded', data: { fileId: 41, owner: 115, number: 2, digest: 'bb'.repeat(32), size: 5 } },
    ];
    const metadata = { actor: 115, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: 'c' };
    const events = happened.map((event, index) => ({ ...event, id: `f-${index}` }));
    const { position } = await log.append(fileStream(41), NO_STREAM, events, metadata);
    const later = { ...happened[2]!, id: 'f-3' };
    await log.append(fileStream(41), 2, [later], metadata);
    const fields = [nasty(13, 'file')];
    const held: readonly ArtifactEvent[] = [
      { type: 'ArtifactSubmitted', data: { artifactId: 7, trackerId: 101, values: { '13': [42, 41] } } },
      { type: 'ArtifactValuesChanged', data: { artifactId: 7, trackerId: 101, values: { '13': [] } } },
    ];
    const until = `${position}~` as typeof position;
    const [known, unknown] = await attachmentsOf(slicesOf(held), fields, log, until);
    await log.close();
    await directory.remove();

    expect(unknown).to.deep.equal({ id: 42, fieldId: 13, info: null, chunks: [], erased: false });
    const stored = { path: 'deleted_artifact_7_20260301T120000Z/41', digest: 'cc'.repeat(32) };
    const text = await document({
      attachments: [
        { ...known!, stored },
        { ...unknown!, stored: null },
      ],
    });
    validate(text);
    const [first] = at(readXml(text), 'attachments/attachment');
    expect(first!.attributes).to.include({ id: '41', size: '15', media_type: 'text/plain', ...stored });
    expect(
      first!.children.map(({ name, text: said, attributes }) => [name, said || attributes['digest']]),
    ).to.deep.equal([
      ['name', NASTY],
      ['description', undefined],
      ['chunk', 'aa'.repeat(32)],
      ['chunk', 'bb'.repeat(32)],
    ]);
  });
});
