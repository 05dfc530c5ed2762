import { expect } from 'chai';
import {
  hashOf,
  identifierOf,
  isSecretOf,
  newSecret,
  parseIdentifier,
} from '../../../src/authentication/access-keys/identifier.js';

describe('identifier of an access key', () => {
  it('holds the id and a secret of 256 random bits', () => {
    const secret = newSecret();
    expect(secret)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(newSecret());
    const identifier = identifierOf({ accessKeyId: 12, secret });
    expect(identifier).to.equal(`tlp-k1-12.${secret}`);
    expect(parseIdentifier(identifier)).to.deep.equal({ accessKeyId: 12, secret });
  });

  it('has one form', () => {
    const secret = 'a'.repeat(64);
    for (const text of [
      '',
      'garbage',
      secret,
      `tlp-k1-12.${secret.slice(1)}`,
      `tlp-k1-12.${secret}a`,
      `tlp-k1-012.${secret}`,
      `tlp-k1--1.${secret}`,
      `tlp-k1-1234567890123456.${secret}`,
      `tlp-k2-12.${secret}`,
      `tlp-k1-12.${secret.toUpperCase()}`,
      ` tlp-k1-12.${secret}`,
      `tlp-k1-12.${secret}\n`,
    ]) {
      expect(parseIdentifier(text), text).to.equal(null);
    }
  });

  it('is told from others by a hash of its secret', () => {
    const secret = newSecret();
    const hash = hashOf(secret);
    expect(hash)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.include(secret);
    expect(isSecretOf(secret, hash)).to.equal(true);
    expect(isSecretOf(newSecret(), hash)).to.equal(false);
  });
});
