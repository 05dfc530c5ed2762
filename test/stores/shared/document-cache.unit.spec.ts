import { expect } from 'chai';
import { documentCache, JSON_TEXTS } from '../../../src/stores/shared/document-cache.js';

const LARGE = 300 * 1024;

describe('remembered documents', () => {
  const body = (id: number, length: number): string => JSON.stringify({ id, text: 'x'.repeat(length) });

  it('are the same objects for as long as their texts are the same', () => {
    const parse = documentCache(JSON_TEXTS);
    const first = parse('notes', 1, body(1, 10));
    expect(parse('notes', 1, body(1, 10))).to.equal(first);
    expect(parse('authors', 1, body(1, 10))).not.to.equal(first);
    expect(parse('notes', 1, body(1, 11))).to.deep.equal({ id: 1, text: 'x'.repeat(11) });
  });

  it('are no large ones, which would take the place of all others', () => {
    const parse = documentCache(JSON_TEXTS);
    const small = parse('notes', 1, body(1, 10));
    for (let id = 2; id < 100; id += 1) {
      const large = parse('notes', id, body(id, LARGE));
      expect(large).to.have.property('id', id);
      expect(parse('notes', id, body(id, LARGE))).not.to.equal(large);
    }
    expect(parse('notes', 1, body(1, 10))).to.equal(small);
  });
});
