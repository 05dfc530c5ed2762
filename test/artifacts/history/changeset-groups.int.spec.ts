import { expect } from 'chai';
import { changesetGroups } from '../../../src/artifacts/history/changeset-groups.js';
import { type StreamPart } from '../../../src/core/event-log.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const LONGEST = 65_000;
/** Of the longest texts: more than half a mebibyte. */
const FULL = 9;
const TEXTS = Array.from({ length: FULL }, (_, n) => `t${n}`);
/** Of the numbers of changes. */
const FORWARD = [1, 2, 3, 4];
const BACKWARD = FORWARD.toReversed();

describe('the changesets of a page', () => {
  let api: ArtifactApi;
  before(async () => {
    const texts = TEXTS.map((name) => ({ name, label: name, type: 'text' }));
    api = await artifactApi({ platform: plainPlatform([...texts, { name: 'line', label: 'Line', type: 'string' }]) });
  });
  after(() => api.stop());

  const text = (name: string, size: number) => api.set(name, { value: { content: 'x'.repeat(size), format: 'text' } });

  /** Of an artifact whose texts are all long. */
  const changed = async (
    values: (n: number) => readonly object[],
    comment: (n: number) => string,
    changes: readonly number[] = FORWARD,
  ) => {
    const id = await api.created(TEXTS.map((name) => text(name, LONGEST)));
    for (const n of changes) {
      const body = { values: values(n), comment: { body: comment(n), format: 'text' } };
      expect((await api.put(`/artifacts/${id}`, { as: 'carol', body })).status).to.equal(200);
    }
    return id;
  };

  /** How many are held at once, one group after the other, and how often the log is read. */
  const held = async (id: number, revisions: readonly number[], withValues: boolean) => {
    const groups: number[] = [];
    let readings = 0;
    const log = {
      read: (stream: `${string}-${string}`, part: StreamPart) => {
        readings += 1;
        return api.service.log.read(stream, part);
      },
    } as typeof api.service.log;
    const page = { revisions, withValues };
    for await (const group of changesetGroups(page, { id, atid: 1 }, { log })) groups.push(group.length);
    return { groups, readings };
  };

  it('are held together where they share their values', async () => {
    const id = await changed(
      (n) => [api.set('line', { value: `${n}` })],
      () => '',
    );
    for (const revisions of [FORWARD, BACKWARD]) {
      expect(await held(id, revisions, true)).to.deep.equal({ groups: [4], readings: 1 });
    }
  });

  it('are held half a mebibyte at a time, and one more where the oldest comes first', async () => {
    const id = await changed(
      (n) => TEXTS.slice(0, 5).map((name) => text(name, LONGEST - n)),
      () => '',
    );
    expect((await held(id, FORWARD, true)).groups).to.deep.equal([3, 1]);
    expect((await held(id, BACKWARD, true)).groups).to.deep.equal([2, 2]);
  });

  it('hold no values where none are shown', async () => {
    const id = await changed(
      (n) => TEXTS.map((name) => text(name, LONGEST - n)),
      (n) => `${n}`,
    );
    for (const revisions of [FORWARD, BACKWARD]) {
      expect(await held(id, revisions, false)).to.deep.equal({ groups: [4], readings: 1 });
    }
  });
  it('are held by the size of their comments, too', async () => {
    const changes = Array.from({ length: 10 }, (_, n) => n + 1);
    const id = await changed(
      () => [],
      (n) => `${n % 10}`.repeat(LONGEST),
      changes,
    );
    expect((await held(id, changes, false)).groups).to.deep.equal([9, 1]);
    expect((await held(id, changes.toReversed(), false)).groups).to.deep.equal([8, 2]);
  });
});
