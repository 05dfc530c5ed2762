import { artifactDecider, type ArtifactCommand } from '../../src/artifacts/artifact.js';
import { type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { fieldOf, listValueOf, trackerOf, TRACKER_ID } from '../support/definitions.js';
import { specify } from '../support/specify.js';

const { given } = specify(artifactDecider);

const NEW = 201;
const DONE = 202;
const tracker = trackerOf(
  [
    fieldOf(1, 'string', { required: true, label: 'Title', name: 'title' }),
    fieldOf(2, 'int'),
    fieldOf(3, 'sb', { bind: 'static', values: [listValueOf(NEW), listValueOf(DONE)], label: 'Status' }),
    fieldOf(4, 'art_link'),
    fieldOf(5, 'msb', { bind: 'static', values: [listValueOf(301), listValueOf(302)] }),
    fieldOf(6, 'computed'),
  ],
  {
    workflow: {
      field: 3,
      transitions: [
        { id: 1, from: null, to: NEW },
        { id: 2, from: NEW, to: DONE },
      ],
    },
  },
);

const submitted = (values: FieldValues): ArtifactEvent => ({
  type: 'ArtifactSubmitted',
  data: { artifactId: 7, trackerId: TRACKER_ID, values },
});
const changed = (values: FieldValues, more: object = {}): ArtifactEvent => ({
  type: 'ArtifactValuesChanged',
  data: { artifactId: 7, trackerId: TRACKER_ID, values, ...more },
});
const deleted: ArtifactEvent = { type: 'ArtifactDeleted', data: { artifactId: 7, trackerId: TRACKER_ID } };

const submit = (values: FieldValues): ArtifactCommand => ({
  type: 'SubmitArtifact',
  artifactId: 7,
  tracker,
  values,
});
const change = (values: FieldValues, more: object = {}): ArtifactCommand => ({
  type: 'ChangeArtifactValues',
  tracker,
  values,
  ...more,
});

describe('artifact', () => {
  it('is submitted with the values that it has, empty ones left out', () => {
    given()
      .when(submit({ '1': 'Crash', '2': null, '5': [] }))
      .then(submitted({ '1': 'Crash' }));
  });

  it('is submitted once, however often the submission is repeated', () => {
    given(submitted({ '1': 'Crash' }))
      .when(submit({ '1': 'Crash' }))
      .thenNothing();
  });

  it('is not submitted without a required value', () => {
    given()
      .when(submit({ '2': 3 }))
      .thenProblem('invalid');
    given()
      .when(submit({ '1': '' }))
      .thenProblem('invalid');
  });

  describe('with a required field of links', () => {
    const linking = trackerOf([fieldOf(1, 'art_link', { required: true }), fieldOf(2, 'int')]);
    const link = { '1': [{ id: 8, type: '' }] };
    const add = { reverseLinks: { add: [{ source: 9, type: '_is_child' }], remove: [] } };
    const asked = (command: ArtifactCommand, more: object = {}): ArtifactCommand =>
      ({ ...command, tracker: linking, ...more }) as ArtifactCommand;

    it('is submitted with a link in either direction, and with no less', () => {
      given()
        .when(asked(submit({ '2': 3 })))
        .thenProblem('invalid');
      given()
        .when(asked(submit(link)))
        .then(submitted(link));
      given()
        .when(asked(submit({}), { ...add, linkedFrom: [1] }))
        .then({ type: 'ArtifactSubmitted', data: { artifactId: 7, trackerId: TRACKER_ID, values: {}, ...add } });
    });

    it('loses its last link only if the change names an artifact that links to it', () => {
      given(submitted(link))
        .when(asked(change({ '1': [] })))
        .thenProblem('invalid');
      given(submitted(link))
        .when(asked(change({ '1': [] }), { linkedFrom: [1] }))
        .then(changed({ '1': [] }));
    });

    it('keeps a link that is sent again where an artifact no longer links to it', () => {
      const reverseLinks = { add: [], remove: [9] };
      given(submitted(link))
        .when(asked(change(link), { reverseLinks }))
        .thenAgain(changed({}, { reverseLinks }));
    });

    it('is not satisfied by what is written to another field', () => {
      given()
        .when(asked(submit({}), { ...add, linkedFrom: [4] }))
        .thenProblem('invalid');
    });
  });

  it('records a value whose writer may not read the field, changed or not', () => {
    for (const value of ['Crash', 'Fire']) {
      given(submitted({ '1': 'Crash', '2': 3 }))
        .when(change({ '1': value, '2': 3 }, { blind: [1] }))
        .thenAgain(changed({ '1': value }));
    }
  });

  it('starts where its workflow lets new artifacts start', () => {
    given()
      .when(submit({ '1': 'a', '3': [NEW] }))
      .then(submitted({ '1': 'a', '3': [NEW] }));
    given()
      .when(submit({ '1': 'a', '3': [DONE] }))
      .thenProblem('invalid');
  });

  it('starts without a value only if its field is left out', () => {
    given()
      .when(submit({ '1': 'a' }))
      .then(submitted({ '1': 'a' }));
    given()
      .when(submit({ '1': 'a', '3': [] }))
      .thenProblem('invalid');
  });

  it('takes only the steps that its workflow names', () => {
    const isNew = submitted({ '1': 'a', '3': [NEW] });
    given(isNew)
      .when(change({ '3': [DONE] }))
      .then(changed({ '3': [DONE] }));
    given(isNew, changed({ '3': [DONE] }))
      .when(change({ '3': [NEW] }))
      .thenProblem('invalid');
    given(isNew)
      .when(change({ '3': [] }))
      .thenProblem('invalid');
    given(isNew)
      .when(change({ '3': [NEW], '2': 1 }))
      .then(changed({ '2': 1 }));
  });

  it('records only the values that change', () => {
    given(submitted({ '1': 'Crash', '2': 2, '5': [301, 302] }))
      .when(change({ '1': 'Crash', '2': 3, '5': [302, 301] }))
      .then(changed({ '2': 3 }));
  });

  it('has nothing to record when no value changes', () => {
    given(submitted({ '1': 'Crash', '2': 2 }))
      .when(change({ '2': 2, '5': [] }))
      .thenNothing();
  });

  it('records a comment also where no value changes', () => {
    const comment = { text: 'Seen', format: 'text' };
    given(submitted({ '1': 'Crash' }))
      .when(change({ '1': 'Crash' }, { comment }))
      .thenAgain(changed({}, { comment }));
  });

  it('refuses to empty a required value, and ignores required fields that are not named', () => {
    given(submitted({ '1': 'Crash' }))
      .when(change({ '1': null }))
      .thenProblem('invalid');
    given(submitted({}))
      .when(change({ '2': 1 }))
      .then(changed({ '2': 1 }));
  });

  it('takes back a value that was empty before the field became required', () => {
    const emptied = [submitted({ '1': 'Crash' }), changed({ '1': null })];
    given(...emptied)
      .when(change({ '1': null, '2': 1 }))
      .then(changed({ '2': 1 }));
    const unlinking = { reverseLinks: { add: [], remove: [9] } };
    given(...emptied)
      .when(change({ '1': null, '4': [] }, unlinking))
      .thenAgain(changed({}, unlinking));
    given(submitted({}))
      .when(change({ '1': '' }))
      .thenNothing();
    given(...emptied)
      .when(change({ '1': '' }, { blind: [1] }))
      .thenProblem('invalid');
  });

  it('holds a sum where a computed value was never given, and null where null was given', () => {
    given()
      .when(submit({ '1': 'Crash', '6': null }))
      .then(submitted({ '1': 'Crash', '6': null }));
    given(submitted({ '1': 'Crash' }))
      .when(change({ '6': { auto: true } }))
      .thenNothing();
    given(submitted({ '1': 'Crash' }))
      .when(change({ '6': null }))
      .then(changed({ '6': null }));
    given(submitted({ '1': 'Crash' }), changed({ '6': null }))
      .when(change({ '6': { auto: true } }))
      .then(changed({ '6': { auto: true } }));
  });

  it('is gone once deleted', () => {
    given(submitted({ '1': 'a' }), deleted)
      .when(change({}))
      .thenProblem('not-found');
    given().when(change({})).thenProblem('not-found');
  });

  it('gains, changes and loses a link from its other end', () => {
    const link = (linkType: string | null): ArtifactCommand => ({
      type: 'SetLink',
      fieldIds: [4],
      target: 9,
      linkType,
    });
    const linked = changed({ '4': [{ id: 9, type: '_is_child' }] });
    const past = submitted({ '1': 'a', '4': [{ id: 8, type: '' }] });
    given(past)
      .when(link('_is_child'))
      .then(
        changed({
          '4': [
            { id: 8, type: '' },
            { id: 9, type: '_is_child' },
          ],
        }),
      );
    given(past, linked).when(link('_is_child')).thenNothing();
    given(past, linked)
      .when(link(''))
      .then(changed({ '4': [{ id: 9, type: '' }] }));
    given(past, linked)
      .when(link(null))
      .then(changed({ '4': [] }));
    given(past).when(link(null)).thenNothing();
  });

  it('has a link from its other end in one of its fields afterwards', () => {
    const link = (linkType: string | null): ArtifactCommand => ({
      type: 'SetLink',
      fieldIds: [4, 5],
      target: 9,
      linkType,
    });
    const past = submitted({ '4': [{ id: 9, type: '' }], '5': [8, 9].map((id) => ({ id, type: '_is_child' })) });
    const others = [{ id: 8, type: '_is_child' }];
    given(past)
      .when(link(null))
      .then(changed({ '4': [], '5': others }));
    given(past)
      .when(link(''))
      .then(changed({ '5': others }));
    given(past)
      .when(link('_is_child'))
      .then(changed({ '4': [{ id: 9, type: '_is_child' }], '5': others }));
  });
});
