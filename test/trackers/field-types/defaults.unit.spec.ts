import { expect } from 'chai';
import { defaultsFor, requiredMissing } from '../../../src/trackers/field-types/defaults.js';
import { fieldOf, listValueOf, trackerOf } from '../../support/definitions.js';

describe('Required fields', () => {
  it('are missing while they are empty, unless the service fills them', () => {
    const fields = [
      fieldOf(500, 'fieldset', { required: true, fields: [fieldOf(501, 'string', { required: true })] }),
      fieldOf(502, 'int', { required: true }),
      fieldOf(503, 'int'),
      fieldOf(504, 'int', { required: true, used: false }),
      fieldOf(505, 'aid', { required: true }),
      fieldOf(506, 'luby', { required: true }),
      fieldOf(507, 'sb', { required: true }),
    ];
    const missing = requiredMissing(trackerOf(fields), { 502: 0, 507: [] });
    expect(missing.map(({ id }) => id)).to.deep.equal([501, 507]);
  });
});

describe('A new artifact', () => {
  const values = [listValueOf(12), listValueOf(13, { hidden: true })];
  const defaults = (...fields: Parameters<typeof trackerOf>[0]) => defaultsFor(trackerOf(fields));

  it('holds the defaults of the fields that have one', () => {
    expect(
      defaults(
        fieldOf(501, 'string', { default: 'a' }),
        fieldOf(502, 'int', { default: 0 }),
        fieldOf(503, 'text', { default: { text: '', format: 'text' } }),
        fieldOf(504, 'msb', { bind: 'users', default: [115] }),
        fieldOf(505, 'int', { default: 5, used: false }),
        fieldOf(506, 'date'),
      ),
    ).to.deep.equal({ 501: 'a', 502: 0, 504: [115] });
  });

  it('holds no value that its list hides by now', () => {
    expect(
      defaults(
        fieldOf(501, 'msb', { bind: 'static', values, default: [12, 13] }),
        fieldOf(502, 'sb', { bind: 'static', values, default: [13] }),
        fieldOf(503, 'tbl', {
          bind: 'static',
          values,
          default: [{ bound: 13 }, { bound: 12 }, { open: 1, label: 'a' }],
        }),
        fieldOf(504, 'sb', { bind: 'static', default: [12] }),
      ),
    ).to.deep.equal({ 501: [12], 503: [{ bound: 12 }, { open: 1, label: 'a' }], 504: [12] });
  });

  it('computes what is computed', () => {
    expect(defaults(fieldOf(501, 'computed'), fieldOf(502, 'computed', { default: { manual: 3 } }))).to.deep.equal({
      501: { auto: true },
      502: { manual: 3 },
    });
  });
});
