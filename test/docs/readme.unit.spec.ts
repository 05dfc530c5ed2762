import { expect } from 'chai';
import { DOCUMENTS, documentText } from '../support/shell-blocks.js';

describe('the README', () => {
  it('says at its beginning whose API the service serves, and which clients work with it', () => {
    const [beginning = ''] = documentText('README.md').split('\n## ');
    expect(beginning)
      .to.match(/REST API of \[Tuleap\]/)
      .and.to.contain('clients that were written for Tuleap');
  });

  it('has at most 150 lines', () => {
    expect(documentText('README.md').split('\n').length).to.be.at.most(151);
  });

  it('leads to the index, which names every page of docs', () => {
    expect(documentText('README.md')).to.contain('(docs/README.md)');
    const pages = DOCUMENTS.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
    const index = documentText('docs/README.md');
    expect(pages.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).to.deep.equal([]);
  });
});
