import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { withIds } from '../../../src/core/event-id.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { artifactApi, type ArtifactApi, type Json } from '../artifact-api.js';

const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8');
const MEETING = '{ name: meeting, label: Meeting, type: date, time: true }';
const DUE = '{ name: due, label: Due, type: date }';
const NOON = { before: '2026-03-05T23:30:00+00:00', after: '2026-03-05T12:00:00+00:00' };

describe('A date whose field shows a time no longer, or by now', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const apply = async (...changes: readonly (readonly [string, string])[]): Promise<void> => {
    const text = changes.reduce((platform, [old, changed]) => platform.replace(old, changed), PLATFORM);
    await api.operate('apply', { text, prune: false, env: {} });
  };
  const withoutTime = () => apply([MEETING, MEETING.replace('true', 'false')]);
  const sendBack = async (id: number): Promise<string | null> => {
    const { body } = await api.read(id);
    const { status, headers } = await api.put(`/artifacts/${id}`, { as: 'carol', body: { values: body.values } });
    expect(status).to.equal(200);
    return headers.get('etag');
  };
  const value = async (id: number, name: string) => (await api.shown(id, name))?.['value'];
  const changesOf = async (id: number, revision: number): Promise<readonly Json[]> =>
    (await api.get(`/artifacts/${id}/history`)).body[revision].changes;

  /** As an earlier release recorded what was sent back. */
  const recorded = async (artifactId: number, values: FieldValues): Promise<void> => {
    const stream = artifactStream(artifactId);
    const { revision } = await api.service.log.read(stream);
    const event = { type: 'ArtifactValuesChanged', data: { artifactId, trackerId: api.tracker('bug'), values } };
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: `change-${artifactId}` };
    await api.service.log.append(stream, revision, withIds(stream, metadata.commandId, [event]), metadata);
  };

  // A member that a file does not name stays as it is.
  afterEach(() => apply([DUE, DUE.replace('date', 'date, time: false')]));

  it('keeps the time that was stored if it is sent back as it is read', async () => {
    const id = await api.created([api.set('meeting', { value: '2026-03-05T23:30:00Z' })]);
    await withoutTime();
    expect(await value(id, 'meeting')).to.equal('2026-03-05T00:00:00+00:00');
    expect(await sendBack(id)).to.equal('"0"');
    await apply();
    expect(await value(id, 'meeting')).to.equal('2026-03-05T23:30:00+00:00');
  });

  it('is not changed either if the field shows a time that was never stored', async () => {
    const id = await api.created([api.set('due', { value: '2026-03-05' })]);
    await apply([DUE, DUE.replace('date', 'date, time: true')]);
    expect(await value(id, 'due')).to.equal('2026-03-05T00:00:00+00:00');
    expect(await sendBack(id)).to.equal('"0"');
  });

  it('has the time that was stored in the history', async () => {
    const id = await api.created([api.set('meeting', { value: NOON.before })]);
    await api.changed(id, [api.set('meeting', { value: NOON.after })]);
    await withoutTime();
    await api.changed(id, [api.set('meeting', { value: '2026-03-06' })]);
    expect((await changesOf(id, 1))[0]).to.include(NOON);
    expect((await changesOf(id, 2))[0]).to.include({ before: NOON.after, after: '2026-03-06T00:00:00+00:00' });
  });

  it('is a change in the history also if the values before and after look alike', async () => {
    const id = await api.created([api.set('due', { value: '2026-03-05' })]);
    await recorded(id, { [api.field('bug', 'due')]: { date: '2026-03-05T00:00:00Z' } });
    const midnight = '2026-03-05T00:00:00+00:00';
    expect((await changesOf(id, 1))[0]).to.include({ name: 'due', before: midnight, after: midnight });
  });
});
