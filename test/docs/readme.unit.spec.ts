import { expect } from 'chai';
import { documentText } from '../support/shell-blocks.js';

describe('the README', () => {
  it('says at its beginning whose API the service serves, and which clients work with it', () => {
    const [beginning = ''] = documentText('README.md').split('\n## ');
    expect(beginning)
      .to.match(/REST API of \[Tuleap\]/)
      .and.to.contain('clients that were written for Tuleap');
  });
});
