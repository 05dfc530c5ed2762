import { trackerDecider } from '../../src/trackers/tracker.js';
import { type Field } from '../../src/trackers/field-types/definition.js';
import { type Report } from '../../src/trackers/report.js';
import { type TrackerEvent } from '../../src/trackers/tracker-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(trackerDecider);

const trackerId = 120;
const title: Field = {
  id: 501,
  name: 'title',
  label: 'Title',
  description: '',
  type: 'string',
  required: true,
  used: true,
  permissions: { read: [1], submit: null, update: null },
};
const rights = {
  admins: { users: [101], groups: [] },
  permissions: { access: [1], submit: [2], update: [3] },
};
const definition = {
  projectId: 110,
  itemName: 'bug',
  label: 'Bugs',
  description: '',
  color: 'fiesta-red',
  ...rights,
  fields: [title],
  semantics: { title: 501 },
  workflow: null,
};
const defined: TrackerEvent = { type: 'TrackerDefined', data: { trackerId, ...definition } };
const deleted: TrackerEvent = { type: 'TrackerDeleted', data: { trackerId } };

describe('tracker', () => {
  it('is defined once', () => {
    given()
      .when({ type: 'DefineTracker', trackerId, ...definition })
      .then(defined);
    given(defined)
      .when({ type: 'DefineTracker', trackerId, ...definition, itemName: 'task' })
      .thenProblem('conflict');
  });

  it('has 10000 values in a list at most, hidden ones among them, and keeps more of an older log', () => {
    const list = (count: number): Field => ({
      ...title,
      id: 502,
      type: 'sb',
      required: false,
      bind: 'static',
      values: Array.from({ length: count }, (_, index) => ({ id: 600 + index, label: '', color: '', hidden: true })),
    });
    const fields = (count: number) => ({ trackerId, fields: [title, list(count)] });
    const changed = (count: number): TrackerEvent => ({ type: 'TrackerFieldsChanged', data: fields(count) });
    given()
      .when({ type: 'DefineTracker', ...definition, ...fields(10_001) })
      .thenProblem('invalid');
    given(defined)
      .when({ type: 'ChangeTrackerFields', ...fields(10_000) })
      .then(changed(10_000));
    given(defined, changed(10_000))
      .when({ type: 'ChangeTrackerFields', ...fields(10_001) })
      .thenProblem('invalid');
    given(defined, changed(10_500))
      .when({ type: 'ChangeTrackerFields', ...fields(10_499) })
      .then(changed(10_499));
  });

  it('takes no command before its definition', () => {
    given().when({ type: 'DeleteTracker', trackerId }).thenProblem('not-found');
  });

  it('takes another heading', () => {
    const heading = { label: 'Defects', description: 'What is broken', color: 'army-green' };
    given(defined)
      .when({ type: 'RenameTracker', trackerId, ...heading })
      .then({ type: 'TrackerRenamed', data: { trackerId, ...heading } });
  });

  it('records a new form whole', () => {
    const fields = [{ ...title, label: 'Summary' }];
    given(defined)
      .when({ type: 'ChangeTrackerFields', trackerId, fields })
      .then({ type: 'TrackerFieldsChanged', data: { trackerId, fields } });
    given(defined)
      .when({ type: 'ChangeTrackerFields', trackerId, fields: [title] })
      .thenNothing();
  });

  it('changes who may do what', () => {
    const wider = { ...rights, permissions: { ...rights.permissions, update: [2] } };
    given(defined)
      .when({ type: 'ChangeTrackerPermissions', trackerId, ...wider })
      .then({ type: 'TrackerPermissionsChanged', data: { trackerId, ...wider } });
  });

  it('changes what its fields mean', () => {
    given(defined)
      .when({ type: 'ChangeTrackerSemantics', trackerId, semantics: {} })
      .then({ type: 'TrackerSemanticsChanged', data: { trackerId, semantics: {} } });
  });

  it('gets a workflow', () => {
    const workflow = { field: 502, transitions: [{ id: 1, from: null, to: 601 }] };
    given(defined)
      .when({ type: 'ChangeTrackerWorkflow', trackerId, workflow })
      .then({ type: 'TrackerWorkflowChanged', data: { trackerId, workflow } });
  });

  it('names its reports, all of them; without any it is what it was before there were reports', () => {
    const report = { id: 130, name: 'Open', isPublic: true, isDefault: false, query: 'title = ""' };
    const changed = (...reports: readonly Report[]): TrackerEvent => ({
      type: 'TrackerReportsChanged',
      data: { trackerId, reports },
    });
    const change = (...reports: readonly Report[]) => ({ type: 'ChangeTrackerReports', trackerId, reports }) as const;
    given(defined).when(change()).thenNothing();
    given(defined).when(change(report)).then(changed(report));
    given(defined, changed(report)).when(change(report)).thenNothing();
    given(defined, changed(report)).when(change()).then(changed());
    given(defined, deleted).when(change(report)).thenProblem('not-found');
  });

  it('is deleted, and nothing of it changes afterwards', () => {
    given(defined).when({ type: 'DeleteTracker', trackerId }).then(deleted);
    given(defined, deleted).when({ type: 'ChangeTrackerFields', trackerId, fields: [] }).thenProblem('not-found');
  });
});
