import { expect } from 'chai';
import fc from 'fast-check';
import { attachmentDisposition, contentType } from '../../../src/files/download/file-headers.js';

describe('Headers of a file', () => {
  it('name it twice: for everyone, and in full', () => {
    expect(attachmentDisposition('f.txt')).to.equal(`attachment; filename="f.txt"; filename*=UTF-8''f.txt`);
    expect(attachmentDisposition('naïve "plan" 100%.pdf')).to.equal(
      `attachment; filename="na_ve _plan_ 100_.pdf"; filename*=UTF-8''na%C3%AFve%20%22plan%22%20100%25.pdf`,
    );
    expect(attachmentDisposition("it's (1)*.txt")).to.include("UTF-8''it%27s%20%281%29%2A.txt");
  });

  it('hold no path', () => {
    expect(attachmentDisposition('../a\\b')).to.equal(`attachment; filename=".._a_b"; filename*=UTF-8''.._a_b`);
  });

  it('never hold what would end them', () => {
    const anyName = fc.string({ unit: 'binary', maxLength: 50 }).filter((name) => !/\p{Surrogate}/u.test(name));
    fc.assert(
      fc.property(anyName, (name) => {
        expect(attachmentDisposition(name)).to.match(/^attachment; filename="[ -~]*"; filename\*=UTF-8''[\w.!~%-]*$/);
      }),
    );
  });

  it('tell a type only where it is one', () => {
    for (const type of ['text/plain', 'application/vnd.api+json', 'text/plain; charset=utf-8', 'a/b;c="d e"']) {
      expect(contentType(type)).to.equal(type);
    }
    for (const type of ['', 'text', 'text/', 'text/plain\r\nX: y', 'text/plain; =', 'te xt/plain', 'text/pläin']) {
      expect(contentType(type), type).to.equal('application/octet-stream');
    }
  });
});
