import { expect } from 'chai';
import { representValues } from '../../../src/artifacts/representation/represent-values.js';
import { sumsOf } from '../../../src/artifacts/representation/sums.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { jsonInTurns } from '../../../src/core/concurrency/json-in-turns.js';
import { artifactOf, definitionsOf, fieldOf, trackerOf } from '../../support/definitions.js';
import { htmlAtOnce } from './html-at-once.js';
import { ARTIFACT_ID, PLACE, pointers, read, refusal, UNRELATED, written } from './setting.js';

const effort = fieldOf(516, 'computed', { label: 'Effort', name: 'effort' });
const links = fieldOf(517, 'art_link');

describe('A computed field', () => {
  it('takes a number set by hand, or the sum', () => {
    expect(written(effort, { manual_value: 12 })).to.deep.equal({ manual: 12 });
    expect(written(effort, { is_autocomputed: false, manual_value: '1.5' })).to.deep.equal({ manual: 1.5 });
    expect(written(effort, { is_autocomputed: true })).to.deep.equal({ auto: true });
    expect(written(effort, { is_autocomputed: true, value: 3, manual_value: null })).to.deep.equal({ auto: true });
    expect(written(effort, { manual_value: null }, { manual: 12 })).to.equal(null);
  });

  it('takes null for what a client leaves out', () => {
    const nulls = { value: null, bind_value_ids: null, links: null, is_autocomputed: null };
    expect(written(effort, { ...nulls, manual_value: 5 })).to.deep.equal({ manual: 5 });
    expect(written(effort, { ...nulls, manual_value: null }, { manual: 12 })).to.equal(null);
    expect(pointers(refusal(effort, { value: 3, is_autocomputed: null }))).to.deep.equal(['']);
  });

  it('is the same when what was read is sent back', () => {
    for (const held of [{ manual: 12 }, { auto: true }, null] as const) {
      expect(written(effort, { ...read(effort, held) }, held)).to.deep.equal(held);
    }
  });

  it('refuses a plain value, and the sum together with a number', () => {
    expect(pointers(refusal(effort, { value: 12 }))).to.deep.equal(['']);
    expect(pointers(refusal(effort, {}))).to.deep.equal(['']);
    expect(pointers(refusal(effort, { manual_value: 'x' }))).to.deep.equal(['/manual_value']);
    expect(pointers(refusal(effort, { is_autocomputed: true, manual_value: 5 }))).to.deep.equal(['/manual_value']);
    expect(pointers(refusal(effort, { is_autocomputed: 'yes' }))).to.deep.equal(['/is_autocomputed']);
  });

  it('is read with its number and where that is from', () => {
    expect(read(effort, { manual: 12 })).to.deep.equal({
      field_id: 516,
      type: 'computed',
      label: 'Effort',
      is_autocomputed: false,
      value: null,
      manual_value: 12,
    });
    expect(read(effort, { auto: true })).to.deep.include({ is_autocomputed: true, value: null, manual_value: null });
    expect(read(effort, null)).to.deep.include({ is_autocomputed: false, value: null, manual_value: null });
  });

  it('is read as a sum where no value was ever given, also in large artifacts', async () => {
    const definitions = definitionsOf(PLACE);
    const context = { definitions, viewer: viewer(definitions, null), related: UNRELATED, htmlOf: htmlAtOnce };
    for (const isLarge of [false, true]) {
      const values = representValues(trackerOf([effort]), artifactOf(ARTIFACT_ID), { ...context, isLarge });
      const [shown] = JSON.parse(await jsonInTurns(values, 0)) as readonly object[];
      expect(shown).to.deep.include({ is_autocomputed: true, value: null, manual_value: null });
    }
  });

  it('is read as the sum of the children that the reader sees', async () => {
    const child = artifactOf(9, { trackerId: 102, values: { 516: { manual: 4 } } });
    const given = {
      ...PLACE,
      trackers: [trackerOf([effort], { id: 102 }), trackerOf([effort, links], { id: 103 })],
    };
    const definitions = definitionsOf(given);
    const values = { 516: { auto: true as const }, 517: [{ id: 9, type: '_is_child' }] };
    const artifact = artifactOf(ARTIFACT_ID, { trackerId: 103, values });
    const linked = (id: number) => (id === 9 ? child : undefined);
    const sumOf = await sumsOf([artifact], { definitions, viewer: viewer(definitions, null) }, linked);
    const related = { ...UNRELATED, linked, sumOf };
    expect(read(effort, { auto: true }, { given, related, artifact })).to.include({ value: 4 });
  });
});
