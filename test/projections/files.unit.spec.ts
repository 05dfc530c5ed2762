import { expect } from 'chai';
import { files } from '../../projections/files.js';
import { type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { type FileEvent } from '../../src/files/file-events.js';
import {
  ANNOUNCED_KEY,
  announcement,
  chunkId,
  chunkViews,
  discardedFileViews,
  diskUsageViews,
  fileTextKey,
  fileViews,
  OF_ARTIFACT_KEY,
  OPEN_SINCE_KEY,
  PENDING_SINCE_KEY,
  RESUMABLE_KEY,
  TEMPORARY_KEY,
} from '../../src/files/file-view.js';
import { projected } from '../support/projected.js';

const OWNER = 115;
const info = { owner: OWNER, name: 'f.txt', mediaType: 'text/plain', description: 'd', expected: null, fieldId: null };
const file = { fileId: 41, owner: OWNER };
const claim = { artifactId: 7, fieldId: 515, commandId: 'c-1' };

const started = (more: object = {}): FileEvent => ({
  type: 'FileUploadStarted',
  data: { fileId: 41, ...info, ...more },
});
const added = (number: number, digest: string, size: number): FileEvent => ({
  type: 'FileChunkAdded',
  data: { ...file, number, digest, size },
});
const attached: FileEvent = { type: 'FileAttached', data: { ...file, ...claim } };
const detached: FileEvent = { type: 'FileDetached', data: { ...file, ...claim } };
const discarded: FileEvent = { type: 'FileDiscarded', data: { ...file, chunks: 2 } };
const submitted: ArtifactEvent = {
  type: 'ArtifactSubmitted',
  data: { artifactId: 7, trackerId: 101, values: { 515: [41] }, attachedFiles: [41] },
};

const valuesChanged: ArtifactEvent = { ...submitted, type: 'ArtifactValuesChanged' };

const uploaded = [started(), added(1, 'a', 10), added(2, 'b', 5)];
const of = (...events: readonly FileEvent[]) => projected(files).happened('file-41', events);
const keysOf = (result: ReturnType<typeof of>) => {
  const document = result.document(fileViews, 41);
  return document === null ? [] : (fileViews.entries?.(document) ?? []).map(({ key }) => key);
};

describe('The read models of files', () => {
  it('hold the state of a file, and the place of each piece', () => {
    const result = of(...uploaded);
    expect(result.document(fileViews, 41)).to.deep.equal({
      id: 41,
      revision: 2,
      ...info,
      size: 15,
      claim: null,
      changedAt: '2026-03-01T12:00:00.000Z',
    });
    expect(result.document(chunkViews, chunkId(41, 2))).to.deep.equal({
      id: '41.000002',
      file: 41,
      from: 10,
      to: 15,
      digest: 'b',
    });
  });

  it("sum the sizes of a user's temporary files", () => {
    const used = (...more: readonly FileEvent[]) => of(...uploaded, ...more).document(diskUsageViews, OWNER)?.bytes;
    expect(used()).to.equal(15);
    expect(used(attached)).to.equal(undefined);
    expect(used(attached, attached)).to.equal(undefined);
    expect(used(attached, detached)).to.equal(15);
    expect(used(discarded)).to.equal(undefined);
  });

  it('do not count resumable uploads, which the field bounds', () => {
    const result = of(started({ expected: 15 }), added(1, 'a', 10));
    expect(result.document(diskUsageViews, OWNER)).to.equal(null);
  });

  it('find temporary files, announced uploads, claims that are pending, and the texts of attached files', () => {
    expect(keysOf(of(...uploaded))).to.deep.equal([OPEN_SINCE_KEY, TEMPORARY_KEY]);
    const resumable = [OPEN_SINCE_KEY, RESUMABLE_KEY];
    const goingOn = [...resumable, ANNOUNCED_KEY];
    expect(keysOf(of(started({ expected: 15 }), added(1, 'a', 10)))).to.deep.equal(goingOn);
    expect(keysOf(of(started({ expected: 10 }), added(1, 'a', 10)))).to.deep.equal(resumable);
    expect(keysOf(of(started({ expected: 0 })))).to.deep.equal(goingOn);
    const texts = [OF_ARTIFACT_KEY, fileTextKey(515), fileTextKey(515)];
    expect(keysOf(of(...uploaded, attached))).to.deep.equal([PENDING_SINCE_KEY, ...texts]);
    expect(keysOf(of(...uploaded, attached).happened('artifact-7', [submitted]))).to.deep.equal(texts);
    expect(keysOf(of(...uploaded, attached, detached))).to.deep.equal([OPEN_SINCE_KEY, TEMPORARY_KEY]);
  });

  it('separate announcements by every word', () => {
    const words = { ...info, expected: 5, fieldId: 515 };
    const others = [
      { owner: 1 },
      { name: 'g' },
      { mediaType: 'a/b' },
      { description: '' },
      { expected: 6 },
      { fieldId: 1 },
    ];
    const all = [{}, ...others].map((other) => announcement({ ...words, ...other }));
    expect(new Set(all).size).to.equal(all.length);
    expect(announcement({ ...words })).to.equal(all[0]);
  });

  for (const event of [submitted, valuesChanged]) {
    it(`settle a claim with the event of its artifact: ${event.type}`, () => {
      const pending = of(...uploaded, attached);
      expect(pending.document(fileViews, 41)?.claim).to.deep.equal({ ...claim, settled: false });
      pending.happened('artifact-7', [event]);
      expect(pending.document(fileViews, 41)?.claim).to.deep.equal({ ...claim, settled: true });
    });
  }

  it('keep a claim settled that an attempt makes again after the event of the artifact', () => {
    const late: FileEvent = { type: 'FileAttached', data: { ...file, ...claim, commandId: 'c-2', upon: 0 } };
    const result = of(...uploaded, attached)
      .happened('artifact-7', [submitted])
      .happened('file-41', [late]);
    expect(result.document(fileViews, 41)?.claim).to.deep.equal({ ...claim, commandId: 'c-2', settled: true });
  });

  it('forget what is discarded, and remember that its bytes are to be erased', () => {
    const result = of(...uploaded, discarded);
    expect(result.document(fileViews, 41)).to.equal(null);
    expect(result.document(chunkViews, chunkId(41, 1))).to.equal(null);
    expect(result.document(chunkViews, chunkId(41, 2))).to.equal(null);
    expect(result.document(discardedFileViews, 41)).to.deep.equal({ id: 41, at: '2026-03-01T12:00:00.000Z' });
    result.happened('file-41', [{ type: 'FileErased', data: { fileId: 41 } }]);
    expect(result.document(discardedFileViews, 41)).to.equal(null);
  });

  it('ignore an artifact without files', () => {
    const event: ArtifactEvent = { type: 'ArtifactSubmitted', data: { artifactId: 7, trackerId: 101, values: {} } };
    expect(() => of(...uploaded).happened('artifact-7', [event])).not.to.throw();
  });

  it('refuse a piece of an unknown upload', () => {
    expect(() => of(added(1, 'a', 1))).to.throw('never started');
  });
});
