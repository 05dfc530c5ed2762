import { expect } from 'chai';
import { artifactApi, type ArtifactApi, type Json } from '../artifact-api.js';

describe('links to children', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const children = (...ids: readonly number[]) =>
    api.set('links', { links: ids.map((id) => ({ id, type: '_is_child' })) });
  const effort = (remaining: Json, ...ids: readonly number[]) =>
    api.created([api.set('remaining', remaining), children(...ids)]);
  const sum = async (id: number, as?: string) => (await api.shown(id, 'remaining', as))?.['value'];

  it('sum up what is left to do below, on every level, and nothing without any', async () => {
    const leaves = [await effort({ manual_value: 2 }), await effort({ manual_value: 3.5 })];
    const middle = await effort({ is_autocomputed: true }, ...leaves);
    const top = await effort({ is_autocomputed: true }, middle, await effort({ manual_value: 1 }));
    expect([await sum(middle), await sum(top)]).to.deep.equal([5.5, 6.5]);
    expect(await sum(await effort({ is_autocomputed: true }))).to.equal(null);
    const set = await effort({ manual_value: 4 }, middle);
    expect(await api.shown(set, 'remaining')).to.include({ is_autocomputed: false, value: 5.5, manual_value: 4 });
    expect(await sum(await effort({ is_autocomputed: true }, set))).to.equal(4);
    await api.changed(leaves[0]!, [api.set('remaining', { manual_value: 10 })]);
    expect(await sum(top)).to.equal(14.5);
  });

  it('count only those that the reader may see', async () => {
    const open = await effort({ manual_value: 2 });
    const closed = await api.created(
      [api.set('remaining', { manual_value: 5 }), api.set('readers', { value: { granted_groups: ['101_4'] } })],
      { as: 'alice' },
    );
    const id = await api.created([api.set('remaining', { is_autocomputed: true }), children(open, closed)], {
      as: 'alice',
    });
    expect([await sum(id, 'alice'), await sum(id, 'carol')]).to.deep.equal([7, 2]);
  });

  it('may close a circle', async () => {
    const first = await effort({ is_autocomputed: true });
    const second = await effort({ is_autocomputed: true }, first, await effort({ manual_value: 3 }));
    await api.changed(first, [children(second)]);
    expect([await sum(first), await sum(second)]).to.deep.equal([3, 3]);
  });
});
