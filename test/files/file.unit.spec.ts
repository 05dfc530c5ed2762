import { type Claim, type FileEvent, type FileInfo } from '../../src/files/file-events.js';
import { fileDecider, MAX_CHUNKS, type FileCommand } from '../../src/files/file.js';
import { sha256 } from '../stores/contracts/blob-store.contract.js';
import { specify } from '../support/specify.js';

const { given } = specify(fileDecider);

const OWNER = 115;
const file = { fileId: 41, owner: OWNER };
const info: FileInfo = {
  owner: OWNER,
  name: 'f.txt',
  mediaType: 'text/plain',
  description: '',
  expected: null,
  fieldId: null,
};
const announced: FileInfo = { ...info, expected: 10, fieldId: 515 };
const blob = { digest: sha256('x'), size: 4 };

const started = (what = info): FileEvent => ({ type: 'FileUploadStarted', data: { fileId: 41, ...what } });
const added = (number: number, size = 4): FileEvent => ({
  type: 'FileChunkAdded',
  data: { ...file, number, digest: blob.digest, size },
});
const claim: Claim = { artifactId: 7, fieldId: 515, commandId: 'c-1' };
const attached = (by = claim): FileEvent => ({ type: 'FileAttached', data: { ...file, ...by } });
const detached = (by = claim): FileEvent => ({ type: 'FileDetached', data: { ...file, ...by } });
const discarded = (chunks: number): FileEvent => ({ type: 'FileDiscarded', data: { ...file, chunks } });

const add = (number: number, size = 4): FileCommand => ({ type: 'AddChunk', chunk: { ...blob, number, size } });
const attach = (by = claim): FileCommand => ({ type: 'AttachFile', claim: by, maxSize: 20 });
const detach = (by = claim): FileCommand => ({ type: 'DetachFile', claim: by });
const discard: FileCommand = { type: 'DiscardFile' };

const sameByOther = { ...claim, commandId: 'c-2' };
const otherArtifact = { ...claim, artifactId: 8, commandId: 'c-2' };

describe('A file', () => {
  it('is started with its first chunk, or with none', () => {
    given().when({ type: 'StartUpload', fileId: 41, info, first: blob }).then(started(), added(1));
    given().when({ type: 'StartUpload', fileId: 41, info: announced }).then(started(announced));
  });

  it('takes chunks in their order', () => {
    given(started(), added(1)).when(add(2)).thenAgain(added(2));
    given(started(), added(1)).when(add(1)).thenProblem('invalid');
    given(started(), added(1)).when(add(3)).thenProblem('invalid');
    given().when(add(1)).thenProblem('not-found');
  });

  it('that was announced takes no more than was announced, and reports a part that came first', () => {
    given(started(announced), added(1)).when(add(2, 6)).thenAgain(added(2, 6));
    given(started(announced), added(1)).when(add(2, 7)).thenProblem('too-large');
    given(started(announced), added(1)).when(add(1)).thenProblem('conflict');
  });

  it('is attached to no field that takes less, although its bytes came after the values were judged', () => {
    given(started(), added(1, 20)).when(attach()).then(attached());
    given(started(), added(1, 20), added(2, 1)).when(attach()).thenProblem('invalid');
  });

  it('comes in a limited number of pieces', () => {
    given(started(), added(MAX_CHUNKS))
      .when(add(MAX_CHUNKS + 1))
      .thenProblem('invalid');
  });

  it('is attached once, by the first that claims it', () => {
    given(started(), added(1)).when(attach()).then(attached());
    given(started(), added(1), attached()).when(attach(otherArtifact)).thenProblem('invalid');
    given(started(), added(1), attached())
      .when(attach({ ...claim, fieldId: 516 }))
      .thenProblem('invalid');
    given().when(attach()).thenProblem('not-found');
  });

  it('is attached only in whole', () => {
    given(started(announced), added(1)).when(attach()).thenProblem('invalid');
    given(started(announced), added(1), added(2, 6)).when(attach()).then(attached());
    given(started({ ...announced, expected: 0 }))
      .when(attach())
      .then(attached());
  });

  it('is taken over by a later command of the same field, which an earlier refusal then leaves alone', () => {
    const past = [started(), added(1), attached()];
    given(...past)
      .when(attach(sameByOther))
      .then(attached(sameByOther));
    given(...past, attached(sameByOther))
      .when(detach())
      .thenNothing();
  });

  it('is claimed anew by the next attempt of a command, which a release of the earlier claim leaves alone', () => {
    const [first, next] = [
      { ...claim, upon: 3 },
      { ...claim, upon: 4 },
    ];
    const past = [started(), added(1), attached(first)];
    given(...past)
      .when(attach(next))
      .then(attached(next));
    given(...past, attached(next))
      .when(detach(first))
      .thenNothing();
    given(...past, attached(next))
      .when(detach(next))
      .then(detached(next));
  });

  it('is its owner’s again when the claim is taken back, and can be claimed anew', () => {
    const past = [started(), added(1), attached()];
    given(...past)
      .when(detach())
      .then(detached());
    given(...past)
      .when(detach(otherArtifact))
      .thenNothing();
    given(...past, detached())
      .when(attach(otherArtifact))
      .then(attached(otherArtifact));
    given(...past, detached())
      .when(add(2))
      .thenAgain(added(2));
  });

  it('that is attached takes nothing more and is not discarded', () => {
    given(started(), added(1), attached()).when(add(2)).thenProblem('not-found');
    given(started(), added(1), attached()).when(discard).thenNothing();
  });

  it('is discarded and then erased, each once', () => {
    given(started(), added(1), added(2)).when(discard).then(discarded(2));
    given(started(), added(1)).when({ type: 'DiscardFile', hasChanged: true }).thenNothing();
    given(started(), discarded(0)).when(attach()).thenProblem('invalid');
    given(started(), discarded(0)).when(add(1)).thenProblem('not-found');
    given(started(), discarded(0))
      .when({ type: 'EraseFile' })
      .then({ type: 'FileErased', data: { fileId: 41 } });
    given(started()).when({ type: 'EraseFile' }).thenNothing();
  });
});
