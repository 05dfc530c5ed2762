import { expect } from 'chai';
import { carriesFile, downloadHref, uploadHref } from '../../src/files/addresses.js';

describe('A request', () => {
  for (const url of [uploadHref(7), downloadHref(7, 'a b.txt')]) {
    it(`to ${url} carries a file`, () => {
      expect(carriesFile({ url })).to.equal(true);
    });
  }

  for (const url of ['/api/artifacts/7', '/uploads', '/plugins/tracker/attachments', '/api/uploads/tracker/file/7']) {
    it(`to ${url} carries no file`, () => {
      expect(carriesFile({ url })).to.equal(false);
    });
  }
});
