import { expect } from 'chai';
import { queryOf } from '../../../src/http/client/query.js';
import { Problem } from '../../../src/core/problem.js';

describe('The parameters of a request', () => {
  it('are read as every UTF-8 text is percent-encoded', () => {
    for (const text of ['a b&c=d', 'caf\u00e9', '\ufffd', '\ufeffa', '100 %', '\u{1F600}', '\0']) {
      const query = queryOf({ querystring: `a=1&query=${encodeURIComponent(text)}` });
      expect([...query], text).to.deep.equal([
        ['a', '1'],
        ['query', text],
      ]);
    }
    expect(queryOf({ querystring: 'a=b+c%20d&e' }).toString()).to.equal('a=b+c+d&e=');
  });

  it('keep a percent sign that begins no byte', () => {
    for (const [written, text] of [
      ['%', '%'],
      ['5%é', '5%é'],
      ['%%C3%A9%', '%é%'],
      ['%C3%A9%9', 'é%9'],
    ] as const) {
      expect(queryOf({ querystring: `a=${written}` }).get('a'), written).to.equal(text);
    }
  });

  it('are refused by name where they are no UTF-8', () => {
    for (const written of ['caf%E9', '%C3', '%c3%28', '%80', '%ED%A0%80', '%C0%AF', '%F5%80%80%80', '%%E9']) {
      for (const querystring of [`a=1&expert_query=${written}&b=%C3%A9`, `expert_query=${written}`]) {
        expect(() => queryOf({ querystring }), querystring)
          .to.throw(Problem, 'expert_query is not UTF-8')
          .with.deep.property('details', [{ pointer: 'expert_query', message: 'is not UTF-8' }]);
      }
    }
  });
});
