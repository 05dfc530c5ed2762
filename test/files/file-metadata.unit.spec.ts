import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { checkedFileMetadata, type FileMetadata } from '../../src/files/file-metadata.js';

const GIVEN = { name: 'log.txt', mediaType: 'text/plain', description: 'A log' };

function faultsOf(given: Partial<FileMetadata>): readonly string[] {
  try {
    checkedFileMetadata({ ...GIVEN, ...given }, 'mimetype');
    return [];
  } catch (error) {
    if (error instanceof Problem) return (error.details ?? []).map(({ pointer }) => pointer);
    throw error;
  }
}

describe('what people say of a file', () => {
  it('has a type that is not known and an empty description where none is given', () => {
    const unknown = { name: 'log.txt', mediaType: 'application/octet-stream', description: '' };
    for (const description of [null, undefined]) {
      expect(checkedFileMetadata({ name: 'log.txt', mediaType: '', description }, 'mimetype')).to.deep.equal(unknown);
    }
  });

  it('has line breaks and tabs in the description alone', () => {
    const text = 'a\tb\r\nc';
    expect(faultsOf({ description: text })).to.deep.equal([]);
    expect(faultsOf({ name: text, mediaType: text })).to.deep.equal(['/name', '/mimetype']);
    for (const control of ['\0', '\x1b', '\x7f', '\x85']) {
      expect(faultsOf({ name: control, mediaType: control, description: control })).to.have.length(3);
    }
  });

  it('has no type that an archive could not hold', () => {
    for (const character of ['\uFFFE', '\uFFFF']) {
      expect(faultsOf({ mediaType: `text/pl${character}ain` })).to.deep.equal(['/mimetype']);
      expect(faultsOf({ name: character, description: character })).to.deep.equal([]);
    }
    expect(faultsOf({ mediaType: 'text/\u{1F600}é\uFFFD' })).to.deep.equal([]);
  });

  it('is bounded in bytes', () => {
    const bytes = (count: number): string => 'é'.repeat(count / 2) + 'x'.repeat(count % 2);
    expect(faultsOf({ name: bytes(255), mediaType: bytes(255), description: bytes(4096) })).to.deep.equal([]);
    expect(faultsOf({ name: bytes(256) })).to.deep.equal(['/name']);
    expect(faultsOf({ mediaType: bytes(256) })).to.deep.equal(['/mimetype']);
    expect(faultsOf({ description: bytes(4097) })).to.deep.equal(['/description']);
  });
});
