import { expect } from 'chai';
import fc from 'fast-check';
import { type Document } from '../../../../src/core/read-models.js';
import { type Generation, type ReadModelStore } from '../../../../src/core/projection.js';
import { documentsOf } from '../../../../src/stores/mongodb/read-models/documents.js';
import { sortable } from '../../../../src/stores/mongodb/read-models/entries.js';
import { type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { place, type Place } from './fixture.js';
import { at, everything, MODELS, note, notes, PROJECTION, reached } from '../../contracts/read-models-fixture.js';

const NAMES = [
  '',
  '__proto__',
  '_bsontype',
  'toBSON',
  'toJSON',
  '$ref',
  '$a',
  'a.b',
  'a$',
  '_id',
  'id',
  '0',
  '\0',
  'constructor',
];
const NUMBERS = [-0, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 5e-324, Number.MAX_VALUE, 0.1];
const TEXTS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\ud83d\ude00',
  '\uffff',
  '2024-03-05T10:11:12.345Z',
  'ObjectId',
  '\u2028',
];

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...TEXTS), fc.string({ unit: codeUnits() }));

function codeUnits(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
}

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(...NUMBERS)),
    texts,
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), texts), tie('json')), { maxLength: 5 })
      .map((entries): unknown => Object.fromEntries(entries)),
  ),
}));

/** What JSON makes of a value is what a read model may hold. */
const inJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner, _, level) => (level % 2 === 0 ? { inner } : [inner]), 1);

/** Of what every server gives back from BSON. */
const READABLE = {
  text: 'x\0y \ud83d\ude00',
  empty: { '': [], a: {}, b: '' },
  numbers: [0, -1, 1.5, 2 ** 31, 2 ** 53, 5e-324, Number.MAX_VALUE],
  lists: [{ items: [1, 'a', null, true, { b: [] }] }],
  ['__proto__']: { constructor: 1 },
  nested: nested(30),
};

/** Of what not every server takes, or gives back, as BSON. */
const TEXT_ONLY: readonly unknown[] = [
  '\ud800',
  { '\udc00': 1 },
  { 'a\0': 1 },
  { $a: 1 },
  { 'a.b': 1 },
  { _bsontype: 'ObjectId' },
  { a: 1, _id: 2 },
  [[1]],
  nested(90),
];

forEachMongoDb('a document', ({ name, url }) => {
  let here: Place;
  let store: ReadModelStore;
  let reader: MongoReadModels;
  let run: Generation;
  let position = 0;

  before(async () => {
    here = place(url());
    store = await here.worker();
    run = await store.open(PROJECTION, MODELS, 1);
    await store.serve(PROJECTION, run);
    reader = await here.reader();
  });

  after(async () => {
    await here.close();
  });

  const write = async (document: Document): Promise<void> => {
    position += 1;
    const change = { model: notes, id: document.id, document, position: at(position) };
    await store.commit(PROJECTION, run, [change], reached(position));
  };
  const stored = (id: Document['id']) => documentsOf(here.db, notes.name, run).findOne({ _id: sortable(id) });
  const withValue = (id: number, value: unknown) => ({ ...note(id), value });

  const readBack = async (id: number): Promise<readonly unknown[]> => {
    const { items } = await reader.find(notes, everything);
    const kept: string[] = [];
    for await (const slice of store.documents(run, notes.name)) {
      kept.push(...slice.filter((row) => row.id === id).map(({ body }) => body));
    }
    return [
      (await store.load(run, notes, [id])).get(id)?.document,
      await reader.get(notes, id),
      (await reader.getMany(notes, [id]))[0],
      items.find((item) => item.id === id),
      JSON.parse(kept[0] ?? ''),
    ];
  };

  it('is read back unchanged, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const document = withValue(1, inJson(value));
        await write(document);
        for (const read of await readBack(1)) {
          expect(read).to.deep.equal(document);
          expect(JSON.stringify(read)).to.equal(JSON.stringify(document));
        }
      }),
      { numRuns: name === 'ferretdb' ? 60 : 150 },
    );
  });

  it('is BSON that tools can read', async () => {
    await write(withValue(2, READABLE));
    expect(await stored(2)).to.deep.include({ document: withValue(2, READABLE) });
    for (const read of await readBack(2)) expect(read).to.deep.equal(withValue(2, READABLE));
  });

  it('is JSON where BSON, or a server, would not give it back', async () => {
    for (const value of TEXT_ONLY) {
      const document = withValue(3, value);
      await write(document);
      expect(await stored(3))
        .to.deep.include({ body: JSON.stringify(document) })
        .and.not.to.have.property('document');
      for (const read of await readBack(3)) expect(read).to.deep.equal(document);
    }
  });

  it('is what JSON makes of it where JSON cannot express it either', async () => {
    await write(withValue(4, { a: -0, b: NaN, c: Infinity, d: undefined, e: [undefined] }));
    const expected = { ...note(4), value: { a: 0, b: null, c: null, e: [null] } };
    for (const read of await readBack(4)) expect(read).to.deep.equal(expected);
  });

  it('is the same object for as long as it does not change', async () => {
    await write(withValue(5, { text: 'x' }));
    const first = await reader.get(notes, 5);
    expect(await reader.get(notes, 5)).to.equal(first);
    await write(withValue(5, { text: 'y' }));
    expect(await reader.get(notes, 5)).to.deep.equal(withValue(5, { text: 'y' }));
  });
});
