import { expect } from 'chai';
import fc from 'fast-check';
import { jsonInTurns, Late } from '../../../src/core/concurrency/json-in-turns.js';
import { turnsOf } from '../../support/turns.js';

const TURN = 256 * 1024;
const fields = Array.from({ length: 40 }, (_, id) => ({ id, value: 'ä'.repeat(100_000) }));

describe('JSON made in turns', () => {
  it('equals JSON made at once', async () => {
    const data = fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined }));
    await fc.assert(
      fc.asyncProperty(data, async (object) => {
        expect(await jsonInTurns(object, TURN)).to.equal(JSON.stringify(object));
      }),
    );
    const byField = Object.fromEntries(fields.map((field) => [field.id, field]));
    const large = { id: 1, values: fields, values_by_field: byField };
    expect(await jsonInTurns(large, Infinity)).to.equal(JSON.stringify(large));
  });

  it('lets other work run after each part of a large value', async () => {
    const { length } = JSON.stringify(fields);
    const count = await turnsOf(() => jsonInTurns({ id: 1, values: fields }, length));
    expect(count).to.be.at.least(Math.floor(length / TURN / 2));
  });

  it('equals JSON made at once where parts are made late', async () => {
    const late = { id: new Late(() => 1), values: fields.map((field) => new Late(() => field)) };
    const json = JSON.stringify({ id: 1, values: fields });
    expect(JSON.stringify(late)).to.equal(json);
    expect(await jsonInTurns(late, Infinity)).to.equal(json);
  });

  it('lets other work run before the next late part is made', async () => {
    const made: number[] = [];
    const values = fields.map((field) => new Late(() => (made.push(field.id), { ...field, value: 'a'.repeat(TURN) })));
    const whole = jsonInTurns({ values }, Infinity);
    expect(made).to.deep.equal([0]);
    await whole;
    expect(made).to.have.length(fields.length);
  });

  it('is made at once for a small value', async () => {
    expect(await turnsOf(() => jsonInTurns({ id: 1, values: fields.slice(0, 1) }, 1000))).to.equal(0);
  });
});
