import { expect } from 'chai';
import { type Change } from '../../../src/core/projection.js';
import { type Document, type ReadModel } from '../../../src/core/read-models.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';
import { rejection } from './event-log-fixture.js';
import { itFollowsReadModels } from './read-models-following.contract.js';
import {
  at,
  authors,
  deleted,
  everything,
  LARGE,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  servedRun,
  written,
  type OpenedReadModels,
  type Sizes,
  reached,
  expectNotServed,
} from './read-models-fixture.js';
import { itFindsDocuments } from './read-models-queries.contract.js';
import { itFindsByCriteria } from './read-model-criteria.contract.js';
import { itReadsInSlices } from './read-model-slices.contract.js';
import { itKeepsGenerationsApart } from './read-model-generations.contract.js';
import { itKnowsItsState } from './read-models-state.contract.js';

/** Changes that no try would write: one without entries, one without JSON. */
function unwritable(): readonly Change[] {
  const circular: { readonly id: string; self?: unknown } = { id: 'a' };
  circular.self = circular;
  const brittle: ReadModel<Document> = {
    name: notes.name,
    entries: (): never => {
      throw new Error('no entries');
    },
  };
  return [
    { model: brittle, id: 2, document: { id: 2 }, position: at(2) },
    { model: notes, id: 'a', document: circular, position: at(2) },
  ];
}

/** What every adapter of ReadModelStore and ReadModels promises. Each runs it from its own spec. */
export function itKeepsTheReadModelsContract(open: () => Promise<OpenedReadModels>, sizes: Sizes = LARGE): void {
  let opened: OpenedReadModels;

  beforeEach(async () => {
    opened = await open();
  });

  afterEach(async () => {
    await opened.close();
  });

  describe('documents', () => {
    it('are unavailable before a run is served, rather than absent', async () => {
      await openRun(opened.store);
      await expectNotServed(opened.models.get(notes, 1));
      await expectNotServed(opened.models.getMany(notes, [1]));
      await expectNotServed(opened.models.find(notes, everything));
    });

    it('are absent once a run without any is served', async () => {
      await servedRun(opened);
      expect(await opened.models.get(notes, 1)).to.equal(null);
      expect(await opened.models.getMany(notes, [1])).to.deep.equal([]);
      expect(await opened.models.find(notes, everything)).to.deep.equal({ items: [], total: 0 });
    });

    it('are read as they were committed', async () => {
      const { commit } = await servedRun(opened);
      const document = { ...note(1), title: 'Ünïcode \0 \ud83d\ude00 "', nested: [{ a: null, b: [1.5, true, ''] }] };
      await commit(1, written(document, 1));

      expect(await opened.models.get(notes, 1)).to.deep.equal(document);
      expect(await opened.models.get(notes, 2)).to.equal(null);
    });

    it('may have members that mean something to JavaScript', async () => {
      const { commit } = await servedRun(opened);
      const document = JSON.parse('{"id":1,"entries":[],"__proto__":{"admin":true},"constructor":1}') as never;
      await commit(1, written(document, 1));

      const stored = await opened.models.get(notes, 1);
      expect(JSON.stringify(stored)).to.equal(JSON.stringify(document));
      expect(stored).not.to.have.property('admin');
    });

    it('with a number and with the same digits as id are two', async () => {
      const { commit } = await servedRun(opened);
      await commit(1, written(note(5), 1), written(note('5'), 1));

      expect((await opened.models.get(notes, 5))?.id).to.equal(5);
      expect((await opened.models.get(notes, '5'))?.id).to.equal('5');
      expect((await opened.models.getMany(notes, ['5'])).map(({ id }) => id)).to.deep.equal(['5']);
    });

    it('are read many at once, each once, without those that do not exist', async () => {
      const { commit } = await servedRun(opened);
      await commit(1, written(note(1), 1), written(note(2), 1), written(note(3), 1));

      const found = await opened.models.getMany(notes, [3, 1, 9, 1]);
      expect(found.map(({ id }) => id)).to.have.members([1, 3]);
    });

    it('are replaced and deleted', async () => {
      const { commit } = await servedRun(opened);
      await commit(1, written(note(1), 1), written(note(2), 1));
      await commit(2, written({ ...note(1), title: 'new' }, 2), deleted(2, 2));

      expect((await opened.models.get(notes, 1))?.title).to.equal('new');
      expect(await opened.models.get(notes, 2)).to.equal(null);
      expect((await opened.models.find(notes, everything)).total).to.equal(1);
    });

    it('that are not there can be deleted, which leaves the number of all others', async () => {
      const { run, commit } = await servedRun(opened);
      await commit(1, written(note(1), 1), written(note(2), 1));
      await commit(2, deleted(2, 2), deleted(3, 2));
      await commit(3, deleted(2, 3), deleted(4, 3));
      expect((await opened.models.find(notes, { ...everything, limit: 1 })).total).to.equal(1);
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });

    it('can come back after they were deleted', async () => {
      const { run, commit } = await servedRun(opened);
      await commit(1, written(note(1, { key: 'k', value: 1 }), 1));
      await commit(2, deleted(1, 2));
      await commit(3, written(note(1, { key: 'k', value: 2 }), 3));
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);

      const page = await opened.models.find(notes, {
        ...everything,
        where: [{ type: 'any-of', key: 'k', values: [1, 2] }],
      });
      expect(page).to.deep.equal({ items: [note(1, { key: 'k', value: 2 })], total: 1 });
    });

    it('of two read models with the same id are two', async () => {
      const { commit } = await servedRun(opened);
      const author = { id: 1, name: 'Ann' };
      await commit(1, written(note(1), 1), { model: authors, id: 1, document: author, position: at(1) });

      expect(await opened.models.get(authors, 1)).to.deep.equal(author);
      expect(await opened.models.get(notes, 1)).to.deep.equal(note(1));
    });
  });

  describe('a commit', () => {
    it('moves the checkpoint, with or without changes', async () => {
      const { run, commit } = await openRun(opened.store);
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal({ version: 1, position: null, event: null });
      await commit(1, written(note(1), 1));
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(1));
      await commit(7);
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(7));
      // A late one does not move it back.
      await commit(3);
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(7));
      // One that knows no event leaves the one that is known.
      await opened.store.commit(PROJECTION, run, [], { ...reached(7), event: null });
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(7));
    });

    it('done twice changes nothing the second time', async () => {
      const { run, commit } = await servedRun(opened);
      await commit(1, written(note(1, { key: 'k', value: 1 }, { key: 't', text: 'a' }), 1), written(note(2), 1));
      const changes = [written(note(1, { key: 'k', value: 2 }), 2), deleted(2, 2)];
      await commit(2, ...changes);
      await commit(2, ...changes);

      expect(await opened.models.find(notes, everything)).to.deep.equal({
        items: [note(1, { key: 'k', value: 2 })],
        total: 1,
      });
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });

    it('leaves documents that stand at its position or later as they are', async () => {
      const { run, commit } = await servedRun(opened);
      await commit(5, written({ ...note(1), title: 'later' }, 5), written(note(2), 4));
      await commit(6, deleted(2, 6));
      await commit(6, written({ ...note(1), title: 'earlier' }, 3), written(note(2), 5));

      expect((await opened.models.find(notes, everything)).items).to.deep.equal([{ ...note(1), title: 'later' }]);
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(6));
    });

    it('leaves them as they are in a generation that is filled, too', async () => {
      const { run, commit } = await openRun(opened.store);
      await commit(5, written({ ...note(1), title: 'later' }, 5), written(note(2), 4));
      await commit(6, deleted(2, 6));
      await commit(6, written({ ...note(1), title: 'earlier' }, 3), written(note(2), 5));

      const loaded = await opened.store.load(run, notes, [1, 2]);
      expect(loaded.get(1)).to.deep.equal({ document: { ...note(1), title: 'later' }, position: at(5) });
      expect(loaded.get(2)?.document ?? null).to.equal(null);
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });

    it('with a document that cannot be written names it, and leaves everything as it was', async () => {
      const { run, commit } = await servedRun(opened);
      await commit(1, written(note(1, { key: 'k', value: 1 }), 1));
      for (const change of unwritable()) {
        const failure = await rejection(commit(2, written(note(1, { key: 'new', value: 2 }), 2), change));
        expect(failure).to.be.instanceOf(UnwritableDocument).and.include({ model: notes.name, id: change.id });
      }
      expect(await opened.models.find(notes, everything)).to.deep.equal({
        items: [note(1, { key: 'k', value: 1 })],
        total: 1,
      });
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(1));
      await commit(2, written(note(3, { key: 'new', value: 2 }), 2));
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });

    it('with a document that cannot be written names it in a generation that is filled, too', async () => {
      const { run, commit } = await openRun(opened.store);
      await commit(1, written(note(1), 1));
      for (const change of unwritable()) {
        expect(await rejection(commit(2, change))).to.include({ name: 'UnwritableDocument', id: change.id });
      }
      expect(await opened.store.checkpoint(PROJECTION, run)).to.deep.equal(reached(1));
    });

    it('with more documents than one statement takes is one commit', async () => {
      const { run, commit } = await servedRun(opened);
      const many = Array.from({ length: sizes.many }, (_, id) => note(id, { key: 'even', value: id % 2 }));
      await commit(1, ...many.map((document) => written(document, 1)));
      await commit(2, ...many.slice(0, sizes.many * 0.6).map(({ id }) => deleted(id, 2)));

      const where = [{ type: 'any-of', key: 'even', values: [1] }] as const;
      expect((await opened.models.find(notes, { ...everything, where })).total).to.equal(sizes.many / 5);
      expect(await opened.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });
  });

  describe('loading', () => {
    it('gives documents with their positions, and says which are deleted', async () => {
      const { run, commit } = await openRun(opened.store);
      await commit(2, written(note(1), 1), written(note('x'), 2), written(note(3), 2));
      await commit(3, deleted(3, 3));

      const ids: Document['id'][] = [1, 'x', 3, 4];
      const loaded = await opened.store.load(run, notes, ids);
      expect(loaded.get(1)).to.deep.equal({ document: note(1), position: at(1) });
      expect(loaded.get('x')).to.deep.equal({ document: note('x'), position: at(2) });
      expect(loaded.get(3)?.document ?? null).to.equal(null);
      expect(loaded.has(4)).to.equal(false);
    });
  });

  itKeepsGenerationsApart(() => opened);
  itReadsInSlices(() => opened);
  itKnowsItsState(() => opened);
  itFindsDocuments(() => opened, sizes);
  itFindsByCriteria(() => opened, sizes);
  itFollowsReadModels(() => opened);
}
