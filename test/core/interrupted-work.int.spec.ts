import { expect } from 'chai';
import { allMatching, isOverdue } from '../../src/core/recovery/interrupted-work.js';
import { note, notes, servedRun, written } from '../stores/contracts/read-models-fixture.js';
import { opened } from '../stores/sqlite/read-models/opened.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('interrupted work', () => {
  it('is found by all of its documents, more than a page of them, and by no others', async () => {
    const directory = await temporaryDirectory();
    const here = opened(directory.path);
    const { commit } = await servedRun(here);
    const ids = Array.from({ length: 2100 }, (_, n) => n + 1);
    await commit(1, ...ids.map((id) => written(note(id, { key: 'odd', value: id % 2 }), 1)));
    const odd = { type: 'any-of', key: 'odd', values: [1] } as const;
    const found = await allMatching(notes, [odd], here.models);
    await here.close();
    await directory.remove();
    expect(found.map(({ id }) => id)).to.deep.equal(ids.filter((id) => id % 2 === 1));
  });

  it('is overdue once it began long ago, or as long after now: the clock was ahead then', () => {
    const before = new Date('2026-03-01T11:59:00.000Z');
    const isLate = (at: string): boolean => isOverdue(at, before, () => new Date('2026-03-01T12:00:00.000Z'));
    expect(['2026-03-01T11:58:59.000Z', '2026-03-01T12:01:01.000Z'].map(isLate)).to.deep.equal([true, true]);
    expect(['2026-03-01T11:59:01.000Z', '2026-03-01T12:00:59.000Z'].map(isLate)).to.deep.equal([false, false]);
  });
});
