import { expect } from 'chai';
import fc from 'fast-check';
import { createLogger, withoutSecrets } from '../../src/logging/logger.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMTUifQ.c2lnbmF0dXJl_-';

describe('log', () => {
  it('masks what must not be read there', () => {
    let written = '';
    const logger = createLogger('info', { write: (line) => void (written += line) });
    logger.info({
      password: 'p4ss',
      user: { password: 'p4ss' },
      headers: { authorization: 'p4ss', 'x-auth-token': 'p4ss', 'x-auth-accesskey': 'p4ss' },
      body: { identifier: 'p4ss' },
    });
    logger.error({ err: new Error(`cannot read ${JWT} at /api/tokens/p4ss`) }, 'defect');
    expect(written).not.to.include('p4ss');
    expect(written).not.to.include('eyJ');
    expect(
      written
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { level: number }).level),
    ).to.deep.equal([30, 50]);
  });

  it('masks tokens in paths, and nothing else', () => {
    expect(withoutSecrets(`/api/v1/tokens/${JWT}/`)).to.equal('/api/v1/tokens/[redacted]/');
    expect(withoutSecrets('/API/Tokens/garbage')).to.equal('/API/Tokens/[redacted]');
    expect(withoutSecrets(`/api/%74okens/${JWT}`)).to.equal('/api/%74okens/[redacted]');
    expect(withoutSecrets('key tlp-k1-12.c0ffee, bad')).to.equal('key tlp-k1-12.[redacted], bad');
    expect(withoutSecrets(`/api/tokens%2F${JWT}`)).to.equal('/api/tokens/[redacted]');
    expect(withoutSecrets(`/api/x%2f%65${JWT.slice(1)}`)).to.equal('/api/x/[redacted]');
    expect(withoutSecrets('/api/access_keys%2Ftlp-k1-12.c0ffee')).to.equal('/api/access_keys/tlp-k1-12.[redacted]');
    expect(withoutSecrets('/api/access_keys/tlp%2Dk1-12%2ec0ffee')).to.equal('/api/access_keys/tlp-k1-12.[redacted]');
    expect(withoutSecrets('/api/x/tlp-k1-12.0%3123')).to.equal('/api/x/tlp-k1-12.[redacted]');
    expect(withoutSecrets('/api/x/eyJh%62.eyJ%63.d%65f')).to.equal('/api/x/[redacted]');
    expect(withoutSecrets('/api/x/eyJhb.eyJc.d%65f')).to.equal('/api/x/[redacted]');
    expect(withoutSecrets('/api/%eyJhb.eyJc.def')).to.equal('/api/%[redacted]');
    expect(withoutSecrets('/api/a%20b%2F100%')).to.equal('/api/a%20b%2F100%');
    expect(withoutSecrets('/api/tokens')).to.equal('/api/tokens');
    expect(withoutSecrets('/api/projects/1')).to.equal('/api/projects/1');
  });

  it('masks a token wherever a word begins with it', () => {
    expect(withoutSecrets(`/api/my-${JWT}/x`)).to.equal('/api/my-[redacted]/x');
    const parts = fc.constantFrom('eyJ', 'a', '-', '.', '/', JWT);
    fc.assert(
      fc.property(fc.string({ unit: parts, maxLength: 20 }), (text) => {
        expect(withoutSecrets(text)).to.equal(text.replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]'));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no longer for a path with many beginnings of a token', () => {
    const started = performance.now();
    for (const part of ['eyJ-', '-', 'eyJ', 'eyJa.', 'eyJ.', '.a', 'eyJ%', 'eyJ.a.%', '%', '%eyJ.', '%2F']) {
      const path = part.repeat(200_000 / part.length);
      expect(withoutSecrets(`${path}/`)).to.have.lengthOf.at.most(path.length + 1);
    }
    expect(performance.now() - started).to.be.below(2000);
  });

  it('leaves out what is below its level', () => {
    let written = '';
    createLogger('warn', { write: (line) => void (written += line) }).info('quiet');
    expect(written).to.equal('');
  });
});
