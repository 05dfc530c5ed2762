import { expect } from 'chai';
import { fieldOf } from '../../support/definitions.js';
import { pointers, read, refusal, UNRELATED, written } from './setting.js';

const files = fieldOf(515, 'file', { label: 'Files' });

describe('A file field', () => {
  it('takes ids of files, once each', () => {
    expect(written(files, { value: [41, '42', 41] })).to.deep.equal([41, 42]);
    expect(written(files, { value: null }, [41])).to.deep.equal([]);
  });

  it('refuses what is no list of ids', () => {
    expect(pointers(refusal(files, { value: 41 }))).to.deep.equal(['/value']);
    expect(pointers(refusal(files, { value: ['x', 41, null] }))).to.deep.equal(['/value/0', '/value/2']);
    expect(pointers(refusal(files, {}))).to.deep.equal(['']);
  });

  it('is read with the descriptions of the files that there are', () => {
    const related = { ...UNRELATED, describeFile: (id: number) => (id === 41 ? { id } : undefined) };
    expect(read(files, [41, 42], { related })).to.deep.equal({
      field_id: 515,
      type: 'file',
      label: 'Files',
      file_descriptions: [{ id: 41 }],
    });
    expect(read(files, [41])).to.deep.include({ file_descriptions: [] });
  });

  it('is not changed when what was read is sent back, with null for what a client leaves out', () => {
    const shown = { ...read(files, [41], { related: { ...UNRELATED, describeFile: (id: number) => ({ id }) } }) };
    for (const sent of [shown, { ...shown, value: null }]) {
      expect(written(files, sent, [41])).to.deep.equal([41]);
      expect(written(files, sent), 'in a new artifact').to.deep.equal([41]);
    }
  });
});
