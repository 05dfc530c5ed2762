import { expect } from 'chai';
import fc from 'fast-check';
import { artifacts } from '../../projections/artifacts.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from '../../src/artifacts/artifact.js';
import { type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { artifactViews } from '../../src/artifacts/artifact-view.js';
import { changesetsOf } from '../../src/artifacts/history/changesets.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { sameValue } from '../../src/artifacts/fields/values.js';
import { fold } from '../../src/core/decider.js';
import { type Recorded } from '../../src/core/event-log.js';
import { Problem } from '../../src/core/problem.js';
import { fieldOf, listValueOf, trackerOf } from '../support/definitions.js';
import { projected } from '../support/projected.js';
import { at } from '../stores/contracts/read-models-fixture.js';

const ID = 7;
const tracker = trackerOf(
  [
    fieldOf(1, 'string', { required: true }),
    fieldOf(2, 'int'),
    fieldOf(3, 'sb', { bind: 'static', values: [201, 202, 203].map((id) => listValueOf(id)) }),
    fieldOf(4, 'art_link'),
    fieldOf(5, 'text'),
  ],
  {
    workflow: {
      field: 3,
      transitions: [201, 202, 203].map((id) => ({ id, from: id === 201 ? null : id - 1, to: id })),
    },
  },
);

const values: fc.Arbitrary<FieldValues> = fc.record(
  {
    '1': fc.constantFrom('a', 'b', null),
    '2': fc.constantFrom(0, 1, null),
    '3': fc.constantFrom([], [201], [202], [203]),
    '4': fc.constantFrom(
      [],
      [{ id: 8, type: '' }],
      [
        { id: 9, type: '_is_child' },
        { id: 8, type: '' },
      ],
    ),
    '5': fc.constantFrom(null, { text: 'a', format: 'text' as const }, { text: 'a', format: 'html' as const }),
  },
  { requiredKeys: [] },
);
const command: fc.Arbitrary<ArtifactCommand> = fc.oneof(
  {
    weight: 1,
    arbitrary: values.map((given) => ({ type: 'SubmitArtifact', artifactId: ID, tracker, values: given }) as const),
  },
  { weight: 4, arbitrary: values.map((given) => ({ type: 'ChangeArtifactValues', tracker, values: given }) as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('SetLink' as const),
      fieldIds: fc.constantFrom([4], []),
      target: fc.constantFrom(8, 9),
      linkType: fc.constantFrom('', '_is_child', null),
    }),
  },
);

/** The events of the commands that are taken, each checked to be taken once only. */
function eventsOf(commands: readonly ArtifactCommand[]): readonly ArtifactEvent[] {
  return commands.reduce<readonly ArtifactEvent[]>((events, one) => {
    const state = fold(artifactDecider, events);
    const decided = decide(one, state);
    const next = [...events, ...decided];
    if (decided.length > 0) expect(artifactDecider.decide(one, fold(artifactDecider, next))).to.deep.equal([]);
    return next;
  }, []);
}

function decide(one: ArtifactCommand, state: Artifact | null): readonly ArtifactEvent[] {
  try {
    return artifactDecider.decide(one, state);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

describe('any history of an artifact', () => {
  const histories = (check: (events: readonly ArtifactEvent[]) => void) => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 12 }), (commands) => {
        check(eventsOf(commands));
      }),
    );
  };

  it('is projected to the state that its rules go by', () => {
    histories((events) => {
      const state = fold(artifactDecider, events);
      const document = projected(artifacts).happened(`artifact-${ID}`, events).document(artifactViews, ID);
      expect(document?.values).to.deep.equal(state?.values);
      if (document !== null) expect(document.revision).to.equal(events.length - 1);
    });
  });

  it('has a last changeset that shows what its document shows', () => {
    histories((events) => {
      const recorded = events.map((event, revision): Recorded<ArtifactEvent> => ({
        ...event,
        id: `e-${revision}`,
        stream: `artifact-${ID}`,
        revision,
        position: at(revision + 1),
        metadata: { actor: null, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: `c-${revision}` },
      }));
      const { id: trackerId, view } = tracker;
      const document = projected(artifacts)
        .happened(`tracker-${trackerId}`, [{ type: 'TrackerFieldsChanged', data: { trackerId, fields: view.fields } }])
        .happened(`artifact-${ID}`, events)
        .document(artifactViews, ID);
      const last = changesetsOf(recorded, 1).at(-1)?.artifact;
      expect(last === undefined ? null : { ...last, limitedBy: [], unasked: [], closedOn: null }).to.deep.equal(
        document,
      );
    });
  });

  it('records no value that was so before', () => {
    histories((events) => {
      for (const [index, event] of events.entries()) {
        const before = fold(artifactDecider, events.slice(0, index))?.values ?? {};
        if (event.type !== 'ArtifactValuesChanged') continue;
        for (const [field, value] of Object.entries(event.data.values)) {
          expect(sameValue(before[field] ?? null, value), field).to.equal(false);
        }
      }
    });
  });

  it('keeps its required value and its workflow', () => {
    histories((events) => {
      let status: unknown = undefined;
      for (const [index] of events.entries()) {
        const state = fold(artifactDecider, events.slice(0, index + 1));
        expect(state?.values['1']).to.be.a('string');
        const next = (state?.values['3'] as readonly number[] | undefined)?.[0];
        if (next !== status) expect(next).to.equal(typeof status === 'number' ? status + 1 : 201);
        status = next;
      }
    });
  });
});
