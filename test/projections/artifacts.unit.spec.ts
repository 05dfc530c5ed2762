import { expect } from 'chai';
import { artifacts } from '../../projections/artifacts.js';
import { type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { artifactViews, artifactTrackerViews } from '../../src/artifacts/artifact-view.js';
import { commentId, commentViews } from '../../src/artifacts/comment-view.js';
import { projectLabels, trackerLabels } from '../../src/artifacts/label-view.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { type Field } from '../../src/trackers/field-types/definition.js';
import { type TrackerEvent } from '../../src/trackers/tracker-events.js';
import { fieldOf, listValueOf } from '../support/definitions.js';
import { projected, type Projected } from '../support/projected.js';

const trackerId = 101;
const submitted = (artifactId: number, values: FieldValues = {}, tracker = trackerId): ArtifactEvent => ({
  type: 'ArtifactSubmitted',
  data: { artifactId, trackerId: tracker, values },
});
const changed = (artifactId: number, values: FieldValues): ArtifactEvent => ({
  type: 'ArtifactValuesChanged',
  data: { artifactId, trackerId, values },
});
const deleted = (artifactId: number): ArtifactEvent => ({
  type: 'ArtifactDeleted',
  data: { artifactId, trackerId },
});

const fieldsChanged = (...fields: readonly Field[]): TrackerEvent => ({
  type: 'TrackerFieldsChanged',
  data: { trackerId, fields },
});

describe('the document of an artifact', () => {
  const documents = () => projected(artifacts);

  it('begins with the submission', () => {
    const view = documents().happened('artifact-7', [submitted(7, { '1': 'Crash' })]);
    expect(view.document(artifactViews, 7)).to.deep.equal({
      id: 7,
      trackerId,
      atid: 1,
      revision: 0,
      values: { '1': 'Crash' },
      limitedBy: [],
      unasked: [],
      closedOn: null,
      submittedBy: null,
      submittedOn: '2026-03-01T12:00:00.000Z',
      lastUpdateBy: null,
      lastUpdateOn: '2026-03-01T12:00:00.000Z',
    });
  });

  it('moves to the revision of a fence and keeps everything else', () => {
    const fence: ArtifactEvent = { type: 'FileClaimsReleased', data: { artifactId: 7, files: [41] } };
    const before = documents().happened('artifact-7', [submitted(7, { '1': 'Crash' })]);
    const document = before.document(artifactViews, 7);
    before.happened('artifact-7', [fence], '2026-03-02');
    expect(before.document(artifactViews, 7)).to.deep.equal({ ...document, revision: 1 });
    before.happened('artifact-7', [changed(7, { '1': 'Changed' })]);
    expect(before.document(artifactViews, 7)).to.deep.include({ revision: 2 });
  });

  it('begins with the submission, also after a fence, of which there is no document', () => {
    const fence: ArtifactEvent = { type: 'FileClaimsReleased', data: { artifactId: 7, files: [41] } };
    const view = documents().happened('artifact-7', [fence]);
    expect(view.document(artifactViews, 7)).to.equal(null);
    view.happened('artifact-7', [submitted(7, { '1': 'Crash' })]);
    expect(view.document(artifactViews, 7)).to.deep.include({ id: 7, atid: 1, revision: 1 });
  });

  it('takes in what changes and keeps the rest, at the revision and the instant of the change', () => {
    const view = documents()
      .happened('artifact-7', [submitted(7, { '1': 'Crash', '2': 3 })])
      .happened('artifact-7', [changed(7, { '2': null, '3': [1] })], '2026-03-02');
    expect(view.document(artifactViews, 7)).to.deep.include({
      revision: 1,
      values: { '1': 'Crash', '2': null, '3': [1] },
      submittedOn: '2026-03-01T12:00:00.000Z',
      lastUpdateOn: '2026-03-02T12:00:00.000Z',
    });
  });

  it('is gone once the artifact is deleted', () => {
    const view = documents().happened('artifact-7', [submitted(7), deleted(7)]);
    expect(view.document(artifactViews, 7)).to.equal(null);
  });

  it('keeps the words of its comments apart, and says that there are some, until it is deleted', () => {
    const noted = (text: string, format: 'text' | 'html' = 'text'): ArtifactEvent => ({
      type: 'ArtifactValuesChanged',
      data: { artifactId: 7, trackerId, values: {}, comment: { text, format } },
    });
    const view = documents().happened('artifact-7', [submitted(7), changed(7, { '1': 'a' })]);
    expect(view.document(artifactViews, 7)).not.to.have.property('isCommented');
    view.happened('artifact-7', [noted('Leaks_AGAIN, é.'), noted('<p>a&nbsp;<b>b</b></p>', 'html'), noted('!')]);
    view.happened('artifact-7', [changed(7, { '1': 'b' })]);
    expect(view.document(artifactViews, 7)).to.include({ isCommented: true });
    view.happened('artifact-7', [noted('last')]);
    const words = () => [1, 2, 3, 4, 5, 6].map((n) => view.document(commentViews, commentId(7, n))?.words ?? null);
    expect(words()).to.deep.equal([null, ' leaks again é ', ' a b ', null, null, ' last ']);
    view.happened('artifact-7', [deleted(7)]);
    expect(words()).to.deep.equal([null, null, null, null, null, null]);
  });

  it('is numbered in its tracker, in the order of submission; a number is never given again', () => {
    const view = documents()
      .happened('artifact-9', [submitted(9), deleted(9)])
      .happened('artifact-8', [submitted(8, {}, 102)])
      .happened('artifact-7', [submitted(7)]);
    expect(view.document(artifactViews, 7)).to.include({ atid: 2 });
    expect(view.document(artifactViews, 8)).to.include({ atid: 1 });
    expect(view.document(artifactTrackerViews, trackerId)).to.include({ id: trackerId, submitted: 2 });
  });

  it('changes the document of its tracker with each change that a page of the tracker may show', () => {
    const view = documents().happened('artifact-8', [submitted(8, {}, 102)]);
    const changes = [submitted(7), changed(7, { '1': 'a' }), deleted(7)].map((event) => {
      view.happened('artifact-7', [event]);
      return view.document(artifactTrackerViews, trackerId)?.changes;
    });
    expect(changes).to.deep.equal([1, 2, 3]);
    expect(view.document(artifactTrackerViews, 102)).to.include({ changes: 1 });
  });

  it('keeps its number through changes', () => {
    const view = documents().happened('artifact-7', [submitted(7), changed(7, { '1': 'a' })]);
    expect(view.document(artifactViews, 7)).to.include({ atid: 1, revision: 1 });
  });

  it('lists the fields that limit its readers, used or not, anywhere in the form', () => {
    const perm = (id: number, used = true) => fieldOf(id, 'perm', { used });
    const [list, file] = [fieldOf(4, 'sb'), fieldOf(6, 'file')];
    const form = [perm(1), fieldOf(2, 'fieldset', { fields: [perm(3), list, file] })];
    const view = documents()
      .happened('tracker-101', [fieldsChanged(...form)])
      .happened('artifact-7', [submitted(7, { '1': [105], '3': [], '4': [9], '6': [77] })]);
    const limits = () => view.document(artifactViews, 7)?.limitedBy;
    expect(limits()).to.deep.equal([1]);
    view.happened('artifact-7', [changed(7, { '1': null, '3': [2] })]);
    expect(limits()).to.deep.equal([3]);
    view.happened('tracker-101', [fieldsChanged(perm(3, false), perm(5), list, file)]);
    view.happened('artifact-7', [changed(7, { '5': [3], '4': [8] })]);
    expect(limits()).to.deep.equal([3, 5]);
  });

  it('treats lists of unknown fields as limits of its readers', () => {
    const link = [{ id: 8, type: '' }];
    const view = documents().happened('artifact-7', [submitted(7, { '1': [105], '2': link, '3': 4, '4': [] })]);
    expect(view.document(artifactViews, 7)?.limitedBy).to.deep.equal([1]);
  });

  it('knows the types of fields that its tracker has no longer', () => {
    const view = documents().happened('tracker-101', [
      fieldsChanged(fieldOf(1, 'sb')),
      fieldsChanged(fieldOf(2, 'sb')),
    ]);
    view.happened('artifact-7', [submitted(7, { '1': [105] })]);
    expect(view.document(artifactViews, 7)?.limitedBy).to.deep.equal([]);
  });

  describe('of a tracker that says which values are open', () => {
    const [OPEN, DONE, GONE] = [11, 12, 13];
    const meaning = (...open: readonly number[]): TrackerEvent => ({
      type: 'TrackerSemanticsChanged',
      data: { trackerId, semantics: { status: { field: 4, open } } },
    });
    const closedOn = (view: Projected) => view.document(artifactViews, 7)?.closedOn;

    it('tells since when it is closed, as long as it is', () => {
      const view = documents().happened('tracker-101', [meaning(OPEN)]);
      view.happened('artifact-7', [submitted(7, { '4': [OPEN] })]);
      expect(closedOn(view)).to.equal(null);
      view.happened('artifact-7', [changed(7, { '4': [DONE] })], '2026-03-02');
      view.happened('artifact-7', [changed(7, { '4': [GONE] }), changed(7, { '1': 'still' })], '2026-03-03');
      expect(closedOn(view)).to.equal('2026-03-02T12:00:00.000Z');
      view.happened('artifact-7', [changed(7, { '4': [OPEN] })], '2026-03-04');
      expect(closedOn(view)).to.equal(null);
      view.happened('artifact-7', [changed(7, { '4': [] })], '2026-03-05');
      expect(closedOn(view)).to.equal('2026-03-05T12:00:00.000Z');
    });

    it('goes by what was open when it changed', () => {
      const view = documents().happened('artifact-7', [submitted(7, { '4': [DONE] })]);
      expect(closedOn(view)).to.equal(null);
      view.happened('tracker-101', [meaning(OPEN)]);
      expect(closedOn(view)).to.equal(null);
      view.happened('artifact-7', [changed(7, { '1': 'a' })], '2026-03-02');
      expect(closedOn(view)).to.equal('2026-03-02T12:00:00.000Z');
      view.happened('tracker-101', [{ type: 'TrackerSemanticsChanged', data: { trackerId, semantics: {} } }]);
      view.happened('artifact-7', [changed(7, { '1': 'b' })], '2026-03-03');
      expect(closedOn(view)).to.equal(null);
    });

    it('is closed by the change after other values were made open, not by one of long ago', () => {
      const view = documents().happened('tracker-101', [meaning(OPEN)]);
      view.happened('artifact-7', [submitted(7, { '4': [OPEN] })]);
      view.happened('artifact-7', [changed(7, { '4': [DONE] })], '2026-03-02');
      view.happened('tracker-101', [meaning(OPEN, DONE)]);
      view.happened('artifact-7', [changed(7, { '4': [GONE] })], '2026-03-04');
      expect(closedOn(view)).to.equal('2026-03-04T12:00:00.000Z');
    });

    it('keeps since when it is closed where values were made open by mistake', () => {
      const view = documents().happened('tracker-101', [meaning(OPEN)]);
      view.happened('artifact-7', [submitted(7, { '4': [DONE] })]);
      view.happened('tracker-101', [meaning(OPEN, DONE), meaning(OPEN)]);
      view.happened('artifact-7', [changed(7, { '4': [GONE] })], '2026-03-04');
      expect(closedOn(view)).to.equal('2026-03-01T12:00:00.000Z');
    });

    it('goes by the first of several values', () => {
      const view = documents().happened('tracker-101', [meaning(OPEN)]);
      view.happened('artifact-7', [submitted(7, { '4': [OPEN, DONE] })]);
      expect(closedOn(view)).to.equal(null);
      view.happened('artifact-7', [changed(7, { '4': [DONE, OPEN] })], '2026-03-02');
      view.happened('artifact-7', [changed(7, { '4': [DONE] })], '2026-03-03');
      expect(closedOn(view)).to.equal('2026-03-02T12:00:00.000Z');
    });
  });

  it('refuses a change of what was never submitted', () => {
    expect(() => documents().happened('artifact-7', [changed(7, {})])).to.throw('never submitted');
  });

  it('refuses a change that comes after a missing one', () => {
    const undelivered = { type: 'Undelivered', data: {} };
    const view = documents().happened('artifact-7', [submitted(7), undelivered]);
    expect(() => view.happened('artifact-7', [changed(7, {})])).to.throw('a revision between is missing');
  });
});

describe('what the ids in artifacts stand for', () => {
  const defined: TrackerEvent = {
    type: 'TrackerDefined',
    data: {
      trackerId,
      projectId: 1,
      itemName: 'bug',
      label: 'Bugs',
      description: '',
      color: 'red',
      admins: { users: [], groups: [] },
      permissions: { access: [1], submit: [1], update: [1] },
      fields: [
        fieldOf(1, 'fieldset', {
          fields: [fieldOf(2, 'string', { name: 'summary' }), fieldOf(3, 'int', { used: false })],
        }),
        fieldOf(4, 'sb', { name: 'status', bind: 'static', values: [listValueOf(11, { label: 'Open' })] }),
      ],
      semantics: { title: 2, status: { field: 4, open: [11] } },
      workflow: null,
    },
  };
  const summary = {
    id: '2',
    name: 'summary',
    label: 'string 2',
    type: 'string',
    bind: null,
    time: false,
    values: { ids: [], labels: [] },
  };
  const status = {
    id: '4',
    name: 'status',
    label: 'sb 4',
    type: 'sb',
    bind: 'static',
    time: false,
    values: { ids: [11], labels: ['Open'] },
  };

  it('are the names of its tracker, of fields in use and of list values', () => {
    const view = projected(artifacts).happened('tracker-101', [defined]);
    const labels = () => view.document(trackerLabels, trackerId);
    expect(labels()).to.deep.equal({
      id: trackerId,
      project: 1,
      name: 'bug',
      label: 'Bugs',
      fields: [summary, status],
      title: '2',
      status: { field: '4', open: [11] },
    });
    view.happened('tracker-101', [
      { type: 'TrackerRenamed', data: { trackerId, label: 'Defects', description: '', color: 'red' } },
      fieldsChanged(fieldOf(2, 'string', { name: 'title' })),
      { type: 'TrackerSemanticsChanged', data: { trackerId, semantics: {} } },
    ]);
    const fields = [{ ...summary, name: 'title' }];
    expect(labels()).to.deep.include({ name: 'bug', label: 'Defects', fields, title: null, status: null });
    view.happened('tracker-101', [{ type: 'TrackerDeleted', data: { trackerId } }]);
    expect(labels()).to.equal(null);
  });

  it('are nothing for a tracker or project whose beginning is unknown', () => {
    const view = projected(artifacts).happened('tracker-101', [fieldsChanged(fieldOf(1, 'string'))]);
    expect(view.document(trackerLabels, trackerId)).to.equal(null);
    view.happened('project-1', [{ type: 'ProjectRenamed', data: { projectId: 1, label: 'x', description: '' } }]);
    expect(view.document(projectLabels, 1)).to.equal(null);
  });

  it('are the names of projects', () => {
    const membership = { admins: [], members: [], groups: [] };
    const registered = {
      projectId: 1,
      shortname: 'web',
      label: 'Web',
      description: '',
      access: 'public',
      svn: false,
    } as const;
    const view = projected(artifacts).happened('project-1', [
      { type: 'ProjectRegistered', data: { ...registered, ...membership } },
      { type: 'ProjectRenamed', data: { projectId: 1, label: 'The web', description: '' } },
    ]);
    expect(view.document(projectLabels, 1)).to.deep.equal({ id: 1, name: 'web', label: 'The web' });
  });
});
