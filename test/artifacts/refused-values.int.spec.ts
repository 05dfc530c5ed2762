import { expect } from 'chai';
import { artifactApi, refusal, type ArtifactApi, type Json } from './artifact-api.js';

describe('A value that its artifact does not allow', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const status = (label: string) => api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', label)] });
  const effort = () => api.set('effort', { value: 1 });
  const posted = (parts: Json) =>
    api.post('/artifacts', { as: 'carol', body: { tracker: { id: api.tracker('bug') }, ...parts } });

  it('is pointed at if its field is required and it is empty', async () => {
    for (const value of ['', null]) {
      const submitted = await api.submit([effort(), api.titled(value)]);
      expect(refusal(submitted), String(value)).to.deep.equal({ status: 400, pointers: ['/values/1/value'] });
    }
    const changed = await api.change(await api.created(), [api.titled('')]);
    expect(refusal(changed)).to.deep.equal({ status: 400, pointers: ['/values/0/value'] });
  });

  it('is pointed at by the name of its field where the values are given so', async () => {
    const empty = await posted({ values_by_field: { title: { value: '' } } });
    expect(refusal(empty)).to.deep.equal({ status: 400, pointers: ['/values_by_field/title/value'] });
  });

  it('is missing among all values if the request does not have its field', async () => {
    expect(refusal(await api.submit([effort()])).pointers).to.deep.equal(['/values']);
    const byField = await posted({ values_by_field: { effort: { value: 1 } } });
    expect(refusal(byField).pointers).to.deep.equal(['/values_by_field']);
  });

  it('is pointed at if the workflow has no transition to it', async () => {
    const submitted = await api.submit([api.titled('a'), status('Done')]);
    expect(refusal(submitted)).to.deep.equal({ status: 400, pointers: ['/values/1/bind_value_ids'] });
    const id = await api.created();
    await api.changed(id, [status('Done')]);
    const changed = await api.change(id, [status('New'), api.titled('a'), status('Open')]);
    expect(refusal(changed)).to.deep.equal({ status: 400, pointers: ['/values/2/bind_value_ids'] });
  });

  it('is None if the workflow does not let new artifacts start there', async () => {
    for (const none of [{ bind_value_ids: [] }, { bind_value_ids: [100] }, { value: '' }, { value: [] }]) {
      const answer = await api.submit([api.titled('a'), api.set('status_id', none)]);
      expect(refusal(answer)).to.deep.equal({ status: 400, pointers: [`/values/1/${Object.keys(none)[0]!}`] });
      expect(answer.body.error.message).to.equal(
        'Bad Request: The workflow has no transition from "New artifact" to "None" in the field Status',
      );
    }
  });

  it('is pointed at by its element where two members could hold it', async () => {
    const both = { ...api.titled(''), links: [] };
    expect(refusal(await api.submit([both])).pointers).to.deep.equal(['/values/0']);
  });
});
