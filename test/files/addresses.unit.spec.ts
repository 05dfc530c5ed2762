import { expect } from 'chai';
import { carriesFile, downloadHref, uploadHref } from '../../src/files/addresses.js';

describe('A request', () => {
  const asWritten = ['/', 'http://localhost:8080', 'HTTPS://localhost/'].map((before) => before + uploadHref(7));
  for (const url of [
    uploadHref(7),
    downloadHref(7, 'a b.txt'),
    ...asWritten,
    '/plugins//tracker///attachments/7-a?b=c',
    '/Uploads/Tracker/FILE/7',
  ]) {
    it(`to ${url} carries a file`, () => {
      expect(carriesFile({ url })).to.equal(true);
    });
  }

  for (const url of [
    '/api/artifacts/7',
    '/uploads',
    '/plugins/tracker/attachments',
    '/api/uploads/tracker/file/7',
    '/?/uploads/tracker/file/7',
  ]) {
    it(`to ${url} carries no file`, () => {
      expect(carriesFile({ url })).to.equal(false);
    });
  }
});
