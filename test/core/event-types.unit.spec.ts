import { expect } from 'chai';
import { type Recorded, type StreamName } from '../../src/core/event-log.js';
import { eventRegistry, type EventTypes } from '../../src/core/event-types.js';
import { at } from '../stores/contracts/read-models-fixture.js';

/** Schema 2 splits the text into words, schema 3 counts them. */
const notes: EventTypes = {
  NoteTaken: [
    (data) => ({ words: 'text' in data ? String(data.text).split(' ') : [] }),
    (data) => ({ ...data, count: 'words' in data && Array.isArray(data.words) ? data.words.length : 0 }),
  ],
  NoteDropped: [],
};
const registry = eventRegistry({ note: notes, page: { PageTurned: [], NoteDropped: [] } });

const event = (type: string, schema: unknown, data: object = {}, stream: StreamName = 'note-7-b'): Recorded => {
  const metadata = {
    actor: null,
    at: '2026-03-01T12:00:00.000Z',
    commandId: 'c-1',
    ...(schema !== undefined && { schema }),
  };
  return { type, data, id: 'e-1', stream, revision: 3, position: at(9), metadata: metadata as Recorded['metadata'] };
};

describe('the registry of event types', () => {
  it('upcasts an event step by step from its schema to the newest', () => {
    const from = (schema: unknown, data: object) => registry.upcast(event('NoteTaken', schema, data));
    const words = ['hello', 'you'];
    const newest = { ...event('NoteTaken', 3, { words, count: 2 }) };
    expect(from(1, { text: 'hello you' })).to.deep.equal(newest);
    expect(from(2, { words })).to.deep.equal(newest);
    expect(from(3, { words, count: 2 })).to.deep.equal(newest);
  });

  it('takes an event that names no schema for one of the first', () => {
    const { data } = registry.upcast(event('NoteTaken', undefined, { text: 'hello' }))!;
    expect(data).to.deep.equal({ words: ['hello'], count: 1 });
  });

  for (const [what, unknown] of [
    ['of a schema above the newest', event('NoteTaken', 4)],
    ['of a schema that is no whole number from 1 on', event('NoteTaken', 1.5)],
    ['of a schema that is a text', event('NoteTaken', '1')],
    ['of an unknown type', event('NoteSung', 1)],
    ['of a type of another category', event('PageTurned', 1)],
    ['of a type named like a member of every object', event('constructor', 1)],
    ['in a category that it does not have', event('NoteTaken', 1, {}, 'book-1')],
    ['in a stream without a category', event('NoteTaken', 1, {}, '-1')],
  ] as const) {
    it(`does not understand an event ${what}`, () => {
      expect(registry.upcast(unknown)).to.equal(null);
      const { stream, type, metadata } = unknown;
      expect(registry.understands({ stream, type, schema: metadata.schema })).to.equal(false);
    });
  }

  it('names the schema that is written: one more than there are upcasts', () => {
    expect(registry.schemaOf('note-1', 'NoteTaken')).to.equal(3);
    expect(registry.schemaOf('page-1', 'NoteDropped')).to.equal(1);
  });

  it('lists each type once, and those of the category of a stream', () => {
    expect([...registry.types].sort()).to.deep.equal(['NoteDropped', 'NoteTaken', 'PageTurned']);
    expect(registry.typesIn('page-1')).to.deep.equal(['PageTurned', 'NoteDropped']);
    expect(registry.typesIn('book-1')).to.deep.equal([]);
  });
});
